#define _GNU_SOURCE
/* A stand-in for libnvidia-ml.so.1, for tests without a GPU. SIMULATED: nothing here was measured.
 *
 * The real pynvml loads it through LD_LIBRARY_PATH. What it answers is scripted by the text file named in
 * INQUEST_NVML_STUB, read again whenever it changes; each line is "GPU KEY VALUE" (GPU "*" means all of them):
 *
 *   * gpus 8             how many GPUs there are (default 8)
 *   3 sm_clock 345       any reading by its key, see the table below
 *   3 lost 1             every call on GPU 3 answers NVML_ERROR_GPU_IS_LOST
 *   3 hang 1             nvmlDeviceGetUtilizationRates of GPU 3 does not return while this stands
 *   3 xid 79             one XID event a change of the value
 *   3 pid 4711           a compute process holding the GPU (0: none)
 *   3 gpm 0              no GPM metrics; else each is sm_active plus its number, and FP64 is not supported
 *   * unsupported_fan 1  nvmlDeviceGetFanSpeed answers NVML_ERROR_NOT_SUPPORTED
 *   * init 18            nvmlInit answers so (18: library and driver are of different versions)
 *   3 silent 1           the GPU is there and cannot be opened
 *   3 event 1024         one event of another type a change of the value (nvmlEventType*)
 *   3 migs 2             the GPU is divided into so many MIG instances; a process then holds the first
 *   3 links 18           NVLinks; link_down, link_replay, link_crc count for the link named by bad_link
 *   * nvlink5 1          links count as those of Blackwell do: bytes and packets, symbol errors and the like
 *   * hopper 0           no fields that came with Hopper: link errors by lane, state by call, no SRAM status
 *   * fields 0           no fields for energy, remaps, retired pages: an old driver, which has calls for them
 *
 * stub_calls(name) tells how often an answer of NOT_SUPPORTED was given to nvmlDeviceGetFanSpeed ("fan") or to a field
 * ("fields").
 *
 * Layouts and numbers are those of nvml.h as pynvml declares them.
 */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, INVALID = 2, TIMEOUT = 10, LOST = 15 };
enum { MOST = 16 };

typedef struct { int index, mig; } device; /* mig: 0 is the GPU itself, else number of the instance plus one */
enum { MIGS = 7, LINKS = 18 };
static device devices[MOST], instances[MOST][MIGS];
static int refused_fans, refused_fields;
int stub_calls(const char *name) { return name[1] == 'a' ? refused_fans : refused_fields; }

#define KEYS(X) \
    X(gpus, 8) X(lost, 0) X(hang, 0) X(xid, 0) X(pid, 0) X(unsupported_fan, 0) \
    X(fb_total, 85899345920) X(fb_used, 42949672960) X(fb_pid, 40000000000) X(gpu_util, 97) X(mem_util, 40) \
    X(power_mw, 412345) X(power_limit_mw, 700000) X(energy_mj, 123456789) X(temp, 61) X(temp_memory, 72) \
    X(sm_clock, 1980) X(sm_clock_max, 1980) X(mem_clock, 2619) X(pstate, 0) X(throttle, 0) \
    X(ecc_sbe_vol, 0) X(ecc_dbe_vol, 0) X(ecc_sbe_agg, 7) X(ecc_dbe_agg, 0) X(retired, 0) \
    X(remap_cor, 0) X(remap_unc, 0) X(remap_pending, 0) X(remap_failure, 0) \
    X(pcie_gen, 5) X(pcie_width, 16) X(pcie_gen_max, 5) X(pcie_width_max, 16) X(pcie_replays, 0) \
    X(pcie_rx_kbs, 1000) X(pcie_tx_kbs, 2000) X(fan, 33) X(gpm, 1) X(sm_active, 55) \
    X(silent, 0) X(event, 0) X(migs, 0) X(links, 18) X(bad_link, 0) X(link_down, 0) X(link_replay, 0) X(link_crc, 0) \
    X(link_kib, 4096) X(hopper, 1) X(fields, 1) X(retired_pending, 0) X(held_power, 5000) X(held_thermal, 0) \
    X(recovery, 0) X(dram_cor_vol, 0) X(dram_unc_vol, 0) X(sram_unc_vol, 0) X(sram_unc_agg, 0) X(sram_sm_agg, 0) \
    X(sram_exceeded, 0) X(init, 0) X(fabric_state, 3) X(fabric_health, 2) X(compute_mode, 0) X(nvlink5, 0) X(link_symbols, 0) X(pcie_errors, 0) X(held_brake, 0)

#define AS_ENUM(name, value) K_##name,
#define AS_NAME(name, value) #name,
#define AS_VALUE(name, value) value,
enum { KEYS(AS_ENUM) K_COUNT };
static const char *const names[] = { KEYS(AS_NAME) };
static const long long defaults[] = { KEYS(AS_VALUE) };

static long long values[MOST][K_COUNT];
static struct timespec seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void load(void) {
    static long long looked;
    struct timespec clock;
    struct stat now;
    /* Not at every reading: what the stub costs is counted as ours. */
    clock_gettime(CLOCK_MONOTONIC_COARSE, &clock);
    long long when = clock.tv_sec * 100 + clock.tv_nsec / 10000000;
    if (when == looked) return;
    pthread_mutex_lock(&lock);
    looked = when;
    const char *path = getenv("INQUEST_NVML_STUB");
    int known = path && stat(path, &now) == 0;
    if (values[0][K_gpus] != 0 && (!known || memcmp(&now.st_mtim, &seen, sizeof seen) == 0)) {
        pthread_mutex_unlock(&lock);
        return;
    }
    for (int gpu = 0; gpu < MOST; gpu++) {
        devices[gpu].index = gpu;
        for (int mig = 0; mig < MIGS; mig++) instances[gpu][mig] = (device){gpu, mig + 1};
        memcpy(values[gpu], defaults, sizeof defaults);
    }
    FILE *file = known ? fopen(path, "r") : NULL;
    char who[8], key[32];
    long long value;
    while (file && fscanf(file, "%7s %31s %lld", who, key, &value) == 3)
        for (int gpu = 0; gpu < MOST; gpu++)
            for (int k = 0; k < K_COUNT; k++)
                if ((who[0] == '*' || atoi(who) == gpu) && strcmp(key, names[k]) == 0) values[gpu][k] = value;
    if (file) fclose(file);
    if (known) seen = now.st_mtim;
    pthread_mutex_unlock(&lock);
}

static long long get(device *d, int key) {
    load();
    return values[d->index][key];
}

#define CHECK(d) do { if (get((d), K_lost)) return LOST; } while (0)
#define READ(function, type, key) \
    int function(device *d, type *out) { CHECK(d); *out = (type)get(d, key); return SUCCESS; }

int nvmlInitWithFlags(unsigned flags) { (void)flags; load(); return (int)values[0][K_init]; }
int nvmlInit_v2(void) { load(); return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { return code == LOST ? "GPU is lost" : "stub error"; }
int nvmlSystemGetDriverVersion(char *out, unsigned n) { snprintf(out, n, "999.99.stub"); return SUCCESS; }
int nvmlSystemGetCudaDriverVersion_v2(int *out) { *out = 13000; return SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned *out) { load(); *out = (unsigned)values[0][K_gpus]; return SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, device **out) {
    load();
    if (index >= (unsigned)values[0][K_gpus]) return INVALID;
    if (values[index][K_silent]) return LOST;
    *out = &devices[index];
    return SUCCESS;
}
int nvmlDeviceGetUUID(device *d, char *out, unsigned n) {
    if (d->mig) snprintf(out, n, "MIG-5eed0000-0000-0000-%04d-%012d", d->mig, d->index);
    else snprintf(out, n, "GPU-5eed0000-0000-0000-0000-%012d", d->index);
    return SUCCESS;
}
int nvmlDeviceGetSerial(device *d, char *out, unsigned n) { snprintf(out, n, "16500%08d", d->index); return SUCCESS; }
int nvmlDeviceGetVbiosVersion(device *d, char *out, unsigned n) {
    (void)d;
    snprintf(out, n, "96.00.74.00.01");
    return SUCCESS;
}
typedef struct {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
} pci_info;
int nvmlDeviceGetPciInfo_v3(device *d, pci_info *out) {
    memset(out, 0, sizeof *out);
    out->bus = 0x10u + (unsigned)d->index;
    snprintf(out->bus_id, sizeof out->bus_id, "00000000:%02X:00.0", out->bus);
    return SUCCESS;
}
typedef struct { unsigned version; unsigned char cluster[16]; unsigned status, clique, state, health; } fabric_info;
int nvmlDeviceGetGpuFabricInfoV(device *d, fabric_info *out) {
    CHECK(d);
    if (out->version != (2u << 24 | sizeof *out)) return 25; /* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
    out->status = 0;
    out->state = (unsigned)get(d, K_fabric_state);
    out->health = (unsigned)get(d, K_fabric_health);
    return SUCCESS;
}
READ(nvmlDeviceGetComputeMode, int, K_compute_mode)
int nvmlDeviceGetPersistenceMode(device *d, int *out) { (void)d; *out = 1; return SUCCESS; }
int nvmlDeviceGetEccMode(device *d, int *now, int *pending) { (void)d; *now = 1; *pending = 0; return SUCCESS; }
int nvmlDeviceGetMigMode(device *d, unsigned *now, unsigned *pending) {
    CHECK(d);
    *now = *pending = get(d, K_migs) > 0;
    return SUCCESS;
}
int nvmlDeviceGetMaxMigDeviceCount(device *d, unsigned *out) { (void)d; *out = MIGS; return SUCCESS; }
int nvmlDeviceGetMigDeviceHandleByIndex(device *d, unsigned index, device **out) {
    if (index >= (unsigned)get(d, K_migs)) return 6; /* NVML_ERROR_NOT_FOUND */
    *out = &instances[d->index][index];
    return SUCCESS;
}
int nvmlDeviceGetGpuInstanceId(device *d, unsigned *out) { *out = (unsigned)d->mig + 2; return SUCCESS; }
int nvmlDeviceGetComputeInstanceId(device *d, unsigned *out) { (void)d; *out = 0; return SUCCESS; }
/* Two neighbours share a switch, four a NUMA node. */
int nvmlDeviceGetTopologyCommonAncestor(device *a, device *b, int *out) {
    *out = a->index / 2 == b->index / 2 ? 10 : a->index / 4 == b->index / 4 ? 40 : 50;
    return SUCCESS;
}
int nvmlDeviceGetP2PStatus(device *a, device *b, int what, int *out) {
    (void)what;
    *out = a->index / 4 == b->index / 4 ? 0 : 3;
    return SUCCESS;
}
int nvmlDeviceGetNvLinkState(device *d, unsigned link, int *out) {
    CHECK(d);
    if (link >= (unsigned)get(d, K_links)) return INVALID;
    *out = !(get(d, K_link_down) && (int)link == get(d, K_bad_link));
    return SUCCESS;
}
/* All links lead to switches. */
int nvmlDeviceGetNvLinkRemoteDeviceType(device *d, unsigned link, int *out) {
    (void)d, (void)link;
    *out = 2;
    return SUCCESS;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(device *d, unsigned link, pci_info *out) {
    (void)d;
    memset(out, 0, sizeof *out);
    snprintf(out->bus_id, sizeof out->bus_id, "00000000:%02X:00.0", 0xC0u + link % 4);
    return SUCCESS;
}
int nvmlDeviceGetName(device *d, char *out, unsigned n) { (void)d; snprintf(out, n, "Stub H100"); return SUCCESS; }

typedef struct { unsigned long long total, free, used; } memory;
int nvmlDeviceGetMemoryInfo(device *d, memory *out) {
    CHECK(d);
    unsigned long long parts = d->mig ? (unsigned long long)get(d, K_migs) : 1;
    out->total = (unsigned long long)get(d, K_fb_total) / parts;
    out->used = (unsigned long long)get(d, K_fb_used) / parts;
    out->free = out->total - out->used;
    return SUCCESS;
}
typedef struct { unsigned gpu, memory; } utilisation;
int nvmlDeviceGetUtilizationRates(device *d, utilisation *out) {
    while (get(d, K_hang)) usleep(20000);
    CHECK(d);
    out->gpu = (unsigned)get(d, K_gpu_util);
    out->memory = (unsigned)get(d, K_mem_util);
    return SUCCESS;
}
READ(nvmlDeviceGetPowerUsage, unsigned, K_power_mw)
READ(nvmlDeviceGetEnforcedPowerLimit, unsigned, K_power_limit_mw)
READ(nvmlDeviceGetTotalEnergyConsumption, unsigned long long, K_energy_mj)
READ(nvmlDeviceGetPerformanceState, int, K_pstate)
READ(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, K_throttle)
READ(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, K_throttle)
READ(nvmlDeviceGetCurrPcieLinkGeneration, unsigned, K_pcie_gen)
READ(nvmlDeviceGetCurrPcieLinkWidth, unsigned, K_pcie_width)
READ(nvmlDeviceGetMaxPcieLinkGeneration, unsigned, K_pcie_gen_max)
READ(nvmlDeviceGetMaxPcieLinkWidth, unsigned, K_pcie_width_max)
int nvmlDeviceGetFanSpeed(device *d, unsigned *out) {
    CHECK(d);
    if (get(d, K_unsupported_fan)) { refused_fans++; return NOT_SUPPORTED; }
    *out = (unsigned)get(d, K_fan);
    return SUCCESS;
}
int nvmlDeviceGetTemperature(device *d, int sensor, unsigned *out) {
    (void)sensor;
    CHECK(d);
    *out = (unsigned)get(d, K_temp);
    return SUCCESS;
}
int nvmlDeviceGetClockInfo(device *d, int kind, unsigned *out) {
    CHECK(d);
    *out = (unsigned)get(d, kind == 2 ? K_mem_clock : K_sm_clock);
    return SUCCESS;
}
int nvmlDeviceGetMaxClockInfo(device *d, int kind, unsigned *out) {
    CHECK(d);
    *out = (unsigned)get(d, kind == 2 ? K_mem_clock : K_sm_clock_max);
    return SUCCESS;
}
int nvmlDeviceGetPcieThroughput(device *d, int counter, unsigned *out) {
    CHECK(d);
    *out = (unsigned)get(d, counter == 0 ? K_pcie_tx_kbs : K_pcie_rx_kbs);
    return SUCCESS;
}
int nvmlDeviceGetRemappedRows(device *d, unsigned *cor, unsigned *unc, unsigned *pending, unsigned *failure) {
    CHECK(d);
    *cor = (unsigned)get(d, K_remap_cor);
    *unc = (unsigned)get(d, K_remap_unc);
    *pending = (unsigned)get(d, K_remap_pending);
    *failure = (unsigned)get(d, K_remap_failure);
    return SUCCESS;
}
int nvmlDeviceGetRetiredPages(device *d, int cause, unsigned *count, unsigned long long *pages) {
    CHECK(d);
    unsigned found = cause == 0 ? (unsigned)get(d, K_retired) : 0;
    for (unsigned i = 0; pages && i < found && i < *count; i++) pages[i] = i;
    *count = found;
    return SUCCESS;
}

typedef struct {
    uint32_t field, scope;
    int64_t timestamp, latency;
    int type, status;
    union { unsigned long long ull; unsigned ui; } value;
} field_value;
static int field_key(device *d, uint32_t field, uint32_t scope, int *type) {
    static const struct { uint32_t field; int key, type; } table[] = {
        {82, K_temp_memory, 1}, {3, K_ecc_sbe_vol, 3},  {4, K_ecc_dbe_vol, 3}, {5, K_ecc_sbe_agg, 3},
        {6, K_ecc_dbe_agg, 3},  {94, K_pcie_replays, 1}, {31, K_retired_pending, 1}, {74, K_held_power, 3},
        {75, K_held_thermal, 3}, {173, K_pcie_errors, 1}, {271, K_held_brake, 3}, {11, K_dram_cor_vol, 3}, {12, K_dram_unc_vol, 3}, {91, K_links, 1},
    }, newer[] = {
        {83, K_energy_mj, 3}, {142, K_remap_cor, 1}, {143, K_remap_unc, 1}, {144, K_remap_pending, 1},
        {145, K_remap_failure, 1}, {29, K_retired, 3}, {230, K_recovery, 1},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].field == field) { *type = table[k].type; return table[k].key; }
    for (size_t k = 0; get(d, K_fields) && k < sizeof newer / sizeof *newer; k++)
        if (newer[k].field == field) { *type = newer[k].type; return newer[k].key; }
    (void)scope;
    return -1;
}
/* 1 where this is a field of a link that is here. */
static int link_field(device *d, uint32_t field, uint32_t scope, unsigned long long *out) {
    if (d->mig || scope >= (uint32_t)get(d, K_links)) return 0;
    int bad = (int)scope == get(d, K_bad_link), hopper = (int)get(d, K_hopper);
    unsigned lane = field >= 108 ? field - 108 + 6 : field - 46;
    if (get(d, K_nvlink5) && field != 164 && field != 165) {
        if (field >= 235 && field <= 250) { /* blocks mended: each bin holds a thousandth of the one before */
            *out = (unsigned long long)get(d, K_link_kib) * 1000;
            for (uint32_t bin = 235; bin < field; bin++) *out /= 1000;
            return 1;
        }
        if ((field < 201 || field > 215 || field == 205 || field == 210) && field != 219 && field != 221) return 0;
        *out = field <= 204 ? (unsigned long long)get(d, K_link_kib) * 1024 * (field - 200)
             : bad && field == 221 ? (unsigned long long)get(d, K_link_symbols) : 0;
        return 1;
    }
    switch (field) {
    case 138: case 139: case 140: case 141: *out = (unsigned long long)get(d, K_link_kib) * (field - 137); return 1;
    case 164: *out = 26562; return 1;
    case 165: *out = !(bad && get(d, K_link_down)); return hopper;
    case 161: *out = bad ? (unsigned long long)get(d, K_link_replay) : 0; return hopper;
    case 162: *out = 0; return hopper;
    case 163: *out = bad ? (unsigned long long)get(d, K_link_crc) : 0; return hopper;
    }
    if (hopper || scope) return 0;
    if ((field >= 46 && field < 52) || (field >= 108 && field < 114)) { /* replay errors by lane */
        *out = (int)lane == get(d, K_bad_link) ? (unsigned long long)get(d, K_link_replay) : 0;
        return lane < (unsigned)get(d, K_links);
    }
    return 0;
}
int nvmlDeviceGetFieldValues(device *d, int count, field_value *out) {
    CHECK(d);
    for (int i = 0; i < count; i++) {
        int key = field_key(d, out[i].field, out[i].scope, &out[i].type);
        out[i].status = SUCCESS;
        if (key >= 0) out[i].value.ull = (unsigned long long)get(d, key);
        else if (out[i].field == 30 && get(d, K_fields)) out[i].type = 3, out[i].value.ull = 0;
        else if (link_field(d, out[i].field, out[i].scope, &out[i].value.ull)) out[i].type = 3;
        else out[i].status = NOT_SUPPORTED, refused_fields++;
    }
    return SUCCESS;
}
int nvmlDeviceGetMemoryErrorCounter(device *d, int kind, int span, int place, unsigned long long *out) {
    CHECK(d);
    if (place != 7) return NOT_SUPPORTED;
    *out = kind == 0 ? 0 : (unsigned long long)get(d, span == 0 ? K_sram_unc_vol : K_sram_unc_agg);
    return SUCCESS;
}
typedef struct {
    unsigned version;
    unsigned long long agg_parity, agg_secded, agg_cor, vol_parity, vol_secded, vol_cor, l2, sm, pcie, mcu, other;
    unsigned exceeded;
} sram_status;
int nvmlDeviceGetSramEccErrorStatus(device *d, sram_status *out) {
    CHECK(d);
    if (!get(d, K_hopper)) return NOT_SUPPORTED;
    if (out->version != (1u << 24 | sizeof *out)) return 25; /* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
    unsigned version = out->version;
    memset(out, 0, sizeof *out);
    out->version = version;
    out->agg_parity = (unsigned long long)get(d, K_sram_unc_agg);
    out->vol_parity = (unsigned long long)get(d, K_sram_unc_vol);
    out->sm = (unsigned long long)get(d, K_sram_sm_agg);
    out->exceeded = (unsigned)get(d, K_sram_exceeded);
    return SUCCESS;
}

typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } process;
int nvmlDeviceGetComputeRunningProcesses_v3(device *d, unsigned *count, process *out) {
    CHECK(d);
    unsigned found = get(d, K_pid) ? 1 : 0, room = *count;
    *count = found;
    if (found > room || (found && !out)) return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
    int mig = get(d, K_migs) > 0;
    if (found)
        out[0] = (process){(unsigned)get(d, K_pid), (unsigned long long)get(d, K_fb_pid), mig ? 3 : ~0u, mig ? 0 : ~0u};
    return SUCCESS;
}

typedef struct { int index; } sample;
typedef struct { unsigned version, supported; } gpm_support;
int nvmlGpmQueryDeviceSupport(device *d, gpm_support *out) { out->supported = (unsigned)get(d, K_gpm); return SUCCESS; }
int nvmlGpmSampleAlloc(sample **out) { *out = calloc(1, sizeof **out); return SUCCESS; }
int nvmlGpmSampleGet(device *d, sample *out) {
    CHECK(d);
    if (get(d, K_migs)) return NOT_SUPPORTED;
    out->index = d->index + 1;
    return SUCCESS;
}
int nvmlGpmMigSampleGet(device *d, unsigned gpu_instance, sample *out) {
    CHECK(d);
    if (gpu_instance < 3 || gpu_instance >= 3 + (unsigned)get(d, K_migs)) return INVALID;
    out->index = d->index + 1;
    return SUCCESS;
}
typedef struct { unsigned id; int status; double value; const char *info[3]; } gpm_metric;
typedef struct { unsigned version, count; sample *first, *second; gpm_metric metrics[]; } gpm_request;
int nvmlGpmMetricsGet(gpm_request *r) {
    if (r->version != 1 || !r->first || !r->first->index || r->first == r->second) return INVALID;
    for (unsigned i = 0; i < r->count; i++) {
        r->metrics[i].status = r->metrics[i].id == 11 ? NOT_SUPPORTED : SUCCESS; /* 11: FP64 */
        r->metrics[i].value = (double)get(&devices[r->second->index - 1], K_sm_active) + r->metrics[i].id;
    }
    return SUCCESS;
}

static int event_set;
static long long told[MOST], told_event[MOST];
int nvmlEventSetCreate(int **out) { *out = &event_set; return SUCCESS; }
int nvmlEventSetFree(int *set) { (void)set; return SUCCESS; }
int nvmlDeviceGetSupportedEventTypes(device *d, unsigned long long *out) { (void)d; *out = 0xFFFF; return SUCCESS; }
int nvmlDeviceRegisterEvents(device *d, unsigned long long types, int *set) {
    (void)types, (void)set;
    told[d->index] = get(d, K_xid);
    told_event[d->index] = get(d, K_event);
    return SUCCESS;
}
/* Sleeps until something is written beside the script, as a driver's event wakes a reader: what a stub that looks now and
 * then costs would be counted as ours. Returns the milliseconds that are left. */
static int change(int left) {
    static int watch = -1;
    const char *path = getenv("INQUEST_NVML_STUB");
    char folder[4096] = ".", events[4096];
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (watch < 0 && path) {
        if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
        watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (watch >= 0) {
            inotify_add_watch(watch, folder, IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO);
            return left; /* what was written before is seen by another look */
        }
    }
    struct timespec from, to;
    struct pollfd written = {watch, POLLIN, 0};
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (poll(&written, 1, watch < 0 && left > 250 ? 250 : left) > 0) {
        usleep(20000); /* a look at the script serves for 10 ms */
        while (read(watch, events, sizeof events) > 0) {}
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return left - (int)((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000);
}
typedef struct { device *d; unsigned long long type, data; unsigned gpu_instance, compute_instance; } event;
int nvmlEventSetWait_v2(int *set, event *out, unsigned timeout_ms) {
    (void)set;
    for (int left = (int)timeout_ms, first = 1; left > 0 || first; first = 0) {
        load();
        for (int gpu = 0; gpu < (int)values[0][K_gpus]; gpu++)
            if (values[gpu][K_xid] != told[gpu]) {
                told[gpu] = values[gpu][K_xid];
                if (told[gpu] == 0) continue;
                int mig = values[gpu][K_migs] > 0;
                *out = (event){&devices[gpu], 8, (unsigned long long)told[gpu], mig ? 3 : ~0u, mig ? 0 : ~0u};
                return SUCCESS;
            } else if (values[gpu][K_event] != told_event[gpu]) {
                told_event[gpu] = values[gpu][K_event];
                if (told_event[gpu] == 0) continue;
                *out = (event){&devices[gpu], (unsigned long long)told_event[gpu], 0, ~0u, ~0u};
                return SUCCESS;
            }
        left = change(left);
    }
    return TIMEOUT;
}
