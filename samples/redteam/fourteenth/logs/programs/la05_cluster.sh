# A Slurm of one node and two partitions, of which the second takes the node from the first; sourced.
place=$(mktemp -d /tmp/cluster.XXXX)
cat > "$place/slurm.conf" <<CONF
ClusterName=lot
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$2
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/ctld.pid
SlurmdPidFile=$place/d.pid
SlurmctldLogFile=$place/ctld.log
SlurmdLogFile=$place/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=requeue_setup_env_fail
KillWait=8
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=spare Nodes=ALL Default=YES MaxTime=60 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=0
PartitionName=prod Nodes=ALL MaxTime=60 State=UP PriorityTier=10 PreemptMode=OFF
CONF
export SLURM_CONF=$place/slurm.conf
mkdir -p "$place/state" "$place/spool"
slurmctld -D > "$place/ctld.out" 2>&1 &
ctld=$!
slurmd -D > "$place/d.out" 2>&1 &
slurmd=$!
for _ in $(seq 30); do sinfo -h -o %T 2> /dev/null | grep -q idle && break; sleep 1; done
cluster_down() { kill $slurmd $ctld; wait $slurmd $ctld; rm -rf "$place"; }
