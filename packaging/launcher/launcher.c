/* A single file before anything of it is unpacked: starts the job, and hands it over.
 *
 * The agent is this static program with the frozen Python behind it. `run` starts the job first, with the pipes, the
 * terminal and the guard that capture/run.py would make and pumps that keep the protocol of capture/pump.py. Then this
 * process *becomes* the agent's Python (execve: same pid, children and pending signals), which adopts what it finds:
 * all policy is there. Only where Python cannot be had is the job seen through to its end here, unrecorded.
 * shared.h is written by packaging/agent/build.py, from the Python that both sides must agree with. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pty.h> /* and termios.h, sys/ioctl.h */
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "shared.h"

#define BIT(number) (1ULL << ((number) - 1))
#define ALL (~(BIT(32) | BIT(33))) /* what Python blocks: the C library keeps two for itself */
#define SAY(format, ...) dprintf(2, "inquest run: " format "\n", __VA_ARGS__)

enum { STDOUT, STDERR, TERMINAL }; /* rawlog.STREAMS */
static struct channel { /* Channel of capture/pump.py; `end` is the job's */
    int stream, source, sink, end, hold[2], memory, pump;
    struct stat place;
    int64_t *state;
} channels[2];
static struct guard { int pid; uint64_t told; } guards[8];
static int channel_count, guard_count, life[2], job, unpacking, over;
static char agent[PATH_MAX], stamp[64], **given, **options_end;
static const volatile char payload_at[] = "@PAYLOAD-BEGINS-AT@....."; /* build.py writes a number there */

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static uint64_t set_mask(int how, uint64_t mask) { /* the C library's own leaves some signals out */
    uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, how, &mask, &before, 8);
    return before;
}

static int64_t told_in(const char *path, const char *key, int base) { /* a number in /proc; -1: nobody tells */
    char text[4096] = "", *found;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    return length > 0 && (found = strstr(text, key)) ? (int64_t)strtoull(found + strlen(key), NULL, base) : -1;
}

static void keep_only(const int *keep, int count) { /* closes every descriptor but these */
    for (unsigned low = 0, next = 0; next < UINT_MAX; low = next + 1) {
        next = UINT_MAX;
        for (int i = 0; i < count; i++)
            if ((unsigned)keep[i] >= low && (unsigned)keep[i] < next) next = keep[i];
        if (next > low && syscall(SYS_close_range, low, next - 1, 0)) /* a kernel before 5.9 */
            for (unsigned fd = low; fd < next && fd < 1 << 16; fd++) close(fd);
    }
}

/* Where the command begins; 0 where Python has to tell. `sure`: also 0 unless every value is right for certain. */
static int command_at(int argc, char **argv, int sure) {
    regex_t made;
    int at = 2;
    while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--")) {
        const char *flag = argv[at++], *value = strchr(flag, '=');
        const struct option *found = OPTIONS;
        size_t length = value ? (size_t)(value++ - flag) : strlen(flag);
        while (found->flag && (strlen(found->flag) != length || strncmp(found->flag, flag, length))) found++;
        if (!found->flag || (!found->right && value)) return 0;
        if (found->right && !value && !(value = at < argc ? argv[at++] : NULL)) return 0;
        if (found->right && sure &&
            (regcomp(&made, found->right, REG_EXTENDED | REG_NOSUB) || regexec(&made, value, 0, NULL, 0)))
            return 0;
    }
    at += at < argc && !strcmp(argv[at], "--");
    return at < argc ? at : 0;
}

/* Whether there is an unpacked `agent`, in one of the places that inquest/cli/clean.py cleans. Its `stamp` says that it
 * has run with this node's C library: on a shared home, another node may have unpacked it. */
static int find_unpacked(void) {
    const char *set = getenv("INQUEST_HOME"), *home = getenv("HOME"), *named = set && *set ? set : NULL;
    char tmp[32], base[PATH_MAX - 128], path[PATH_MAX];
    struct stat seen = {0};
    if (stat("/lib64/libc.so.6", &seen) && stat("/lib/x86_64-linux-gnu/libc.so.6", &seen))
        stat("/lib/aarch64-linux-gnu/libc.so.6", &seen);
    snprintf(stamp, sizeof stamp, "runs-%llx-%llx", (long long)seen.st_size, (long long)seen.st_mtime);
    snprintf(tmp, sizeof tmp, "/tmp/inquest-%u", (unsigned)getuid());
    for (int number = 0; number < (named ? 1 : 2); number++) {
        snprintf(base, sizeof base, "%s%s", named ? named : number ? tmp : home ? home : "",
                 named || number ? "" : "/.cache/inquest");
        snprintf(path, sizeof path, "%s/agent-" DIGEST "/%s", base, stamp);
        int whole = !lstat(base, &seen) && S_ISDIR(seen.st_mode) && seen.st_uid == geteuid() && !access(path, F_OK);
        for (const char *const *needed = NEEDED; whole && *needed; needed++) { /* something may have cleaned up there */
            snprintf(path, sizeof path, "%s/agent-" DIGEST "/%s", base, *needed);
            whole = !stat(path, &seen) && seen.st_size > 0;
        }
        snprintf(agent, sizeof agent, "%s/agent-" DIGEST "/" PROGRAM, base);
        if (whole && !access(agent, X_OK)) return 1;
    }
    return 0;
}

static void start_unpacking(int beside_job) { /* else somebody waits for it */
    char at[32];
    if ((unpacking = fork())) return;
    snprintf(at, sizeof at, "%lld", atoll((const char *)payload_at) + 1);
    dup2(open("/proc/self/exe", O_RDONLY), 0), dup2(open("/dev/null", O_RDWR), 1), dup2(1, 2);
    keep_only((int[]){0, 1, 2}, 3);
    if (beside_job) syscall(SYS_setpriority, 0, 0, 19);
    execl("/bin/sh", "sh", "-c", UNPACK, "inquest-unpack", DIGEST, stamp, at, NULL);
    _exit(1);
}

static int make_pipe(int ends[2]) {
    int failed = pipe2(ends, O_CLOEXEC);
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* the default will do where the user has too many wide ones */
    return failed;
}

static int64_t held(int pipe) {
    int count = 0;
    return ioctl(pipe, FIONREAD, &count), count;
}
static void discard(struct channel *c, int null, int64_t count) {
    for (ssize_t moved; count > 0 && (moved = splice(c->hold[0], NULL, null, NULL, count, 0)) > 0;) count -= moved;
}

/* A sink took nothing: wait until it does, drop what a file has no room for, or end because nobody will ever read. */
static int64_t refused(struct channel *c, int64_t count) {
    if (errno == EAGAIN || errno == EINTR) return poll(&(struct pollfd){c->sink, POLLOUT, 0}, 1, -1), 0;
    c->state[ERRNO] = errno;
    if (!S_ISREG(c->place.st_mode) && memchr(GONE, errno, sizeof GONE)) c->state[ENDED] = 1, _exit(BROKEN);
    c->state[DROPPED] += count;
    c->state[ORIGIN] += count; /* counts as written: a successor must not deliver what was given up */
    return count;
}

static void serve(struct channel *c) { /* capture/pump.py says why nothing is lost or repeated when it is killed */
    static char data[PIPE_BYTES];
    int64_t *s = c->state, count, counted = told_in("/proc/thread-self/io", "wchar: ", 10);
    int scratch[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    short gone = S_ISFIFO(c->place.st_mode) ? POLLERR : isatty(c->sink) ? POLLHUP : 0;
    struct pollfd wait[] = {{c->source, POLLIN, 0}, {gone ? c->sink : -1, 0, 0}};
    if (null < 0 || make_pipe(scratch)) _exit(FAILED);
    if (s[TAKEN] == s[DELIVERED]) s[TAKEN] += held(*c->hold); /* the one before was killed after it took them */
    discard(c, null, s[WRITTEN] - (s[TAKEN] - held(*c->hold)));
    s[DELIVERED] = s[TAKEN] - held(*c->hold);
    s[ORIGIN] = counted < 0 ? UNKNOWN : s[DELIVERED] - counted;
    for (;;) {
        while ((count = s[TAKEN] - s[DELIVERED]) > 0) {
            ssize_t copied = tee(c->hold[0], scratch[1], count, 0), got = 0, moved;
            while (got < copied && (moved = read(scratch[0], data + got, copied - got)) > 0) got += moved;
            if (s[EARLY_END] <= s[DELIVERED]) { /* until Python records: the first of it, and the last */
                int64_t zone = s[ZONE], size = 24 + ((got + 7) & ~7LL), *head;
                if (s[EARLY + zone] + size > ZONE_BYTES) s[EARLY + (zone = zone == 1 ? 2 : 1)] = 0, s[ZONE] = zone;
                head = (int64_t *)((char *)s + EARLY_AT + zone * ZONE_BYTES + s[EARLY + zone]);
                head[0] = now(), head[1] = s[DELIVERED], head[2] = got, memcpy(head + 3, data, got);
                s[EARLY + zone] += size, s[EARLY_END] = s[DELIVERED] + got;
            }
            for (char *from = data; from < data + got; from += moved) {
                if ((moved = write(c->sink, from, data + got - from)) < 0) moved = refused(c, data + got - from);
                discard(c, null, moved);
                s[DELIVERED] += moved;
            }
        }
        poll(wait, 2, -1);
        if (wait[1].revents & gone) s[ENDED] = 1, _exit(BROKEN);
        if (!wait[0].revents) continue;
        s[BUSY] = 1;
        count = splice(c->source, NULL, c->hold[1], NULL, PIPE_BYTES, 0);
        s[TAKEN] += count > 0 ? count : 0;
        s[BUSY] = 0;
        if (count == 0 || (count < 0 && errno == EIO)) s[ENDED] = 1, _exit(DONE); /* EIO: a terminal without users */
        if (count < 0 && errno != EINTR) _exit(FAILED);
    }
}

static void start_pump(struct channel *c) {
    if ((c->pump = fork())) return;
    prctl(PR_SET_NAME, "inquest-pump");
    keep_only((int[]){c->source, c->sink, c->hold[0], c->hold[1]}, 4);
    c->state[APART] = 1, serve(c);
}

static int open_terminal(int like, int ends[2]) { /* as capture/pty.py */
    struct termios modes;
    struct winsize size;
    if (tcgetattr(like, &modes) || ioctl(like, TIOCGWINSZ, &size)) return -1;
    modes.c_oflag &= ~OPOST; /* the real terminal will do it, once */
    modes.c_lflag &= ~(ECHO | TOSTOP);
    if (openpty(&ends[0], &ends[1], NULL, &modes, &size)) return -1;
    return fcntl(ends[0], F_SETFD, FD_CLOEXEC) || fcntl(ends[1], F_SETFD, FD_CLOEXEC);
}

static int plumb(int closed, int replaced[3]) { /* as `Channels.lay` of capture/channels.py */
    for (int fd = 1; fd < 3; fd++) {
        struct channel *c = &channels[channel_count], *first = &channels[0];
        if (closed & 1 << fd || fstat(fd, &c->place)) continue;
        int terminal = isatty(fd), null = S_ISCHR(c->place.st_mode) && c->place.st_rdev == DEV_NULL, pair[2];
        if (!terminal && ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY || (S_ISCHR(c->place.st_mode) && !null)))
            continue;
        if (channel_count && !null && c->place.st_dev == first->place.st_dev &&
            c->place.st_ino == first->place.st_ino) {
            replaced[fd] = first->end; /* 2>&1: one channel, or the order of the lines would be lost */
            continue;
        }
        c->memory = memfd_create("inquest-pump", MFD_CLOEXEC);
        if (make_pipe(c->hold) || ftruncate(c->memory, EARLY_AT + ZONES * ZONE_BYTES)) return -1;
        if (terminal ? open_terminal(fd, pair) : make_pipe(pair)) return -1;
        c->sink = fd, c->source = pair[0], c->end = pair[1];
        c->stream = terminal ? (channel_count && first->stream == TERMINAL ? STDERR : TERMINAL) : fd - 1;
        c->state = mmap(NULL, EARLY_AT + ZONES * ZONE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, c->memory, 0);
        if (c->state == MAP_FAILED) return -1;
        c->state[ORIGIN] = UNKNOWN, replaced[fd] = c->end, channel_count++;
    }
    return 0;
}

static int become_job(char **command) { /* as `_Job.become`; returns only what went wrong */
    char path[2 * PATH_MAX], *name = command[0], *places = strchr(name, '/') ? "" : getenv("PATH");
    int failure = 0;
    for (places = places ? places : "/bin:/usr/bin"; *name;) {
        int length = strcspn(places, ":");
        snprintf(path, sizeof path, "%.*s%s%s", length, places, length ? "/" : "", name);
        execve(path, command, environ);
        if (errno == ENOEXEC) { /* a script without "#!": execvp(3) and every shell hand it to sh */
            command[-1] = "/bin/sh", command[0] = path; /* before the command stands at least "run" */
            execve("/bin/sh", command - 1, environ);
        }
        failure = failure || errno == ENOENT || errno == ENOTDIR ? failure : errno;
        if (!*(places += length)) break;
        places++;
    }
    return failure ? failure : ENOENT;
}

static int cannot_run(const char *command, int failure) {
    SAY("cannot run '%s': %s", command, strerror(failure));
    return failure == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

static void start_guard(void) { /* capture/guards.py says how it shows what went to the whole group */
    struct guard *g = &guards[guard_count++ % 8];
    if (g->pid > 0) kill(g->pid, SIGKILL);
    *g = (struct guard){fork(), 0};
    if (g->pid) return;
    prctl(PR_SET_NAME, "inquest-guard");
    keep_only(life, 1);
    open("/dev/null", O_RDWR), dup(0), dup(0);
    poll(&(struct pollfd){life[0], 0, 0}, 1, -1); /* until the parent is gone; `_adopt` leaves a byte there */
    char name[32];
    snprintf(name, sizeof name, "--pid=%d", job); /* nobody records: become `attach`, with the options of `run` */
    given[1] = "attach", options_end[0] = name, options_end[1] = NULL;
    for (; !held(life[0]) && !kill(job, 0); usleep(50000))
        if (find_unpacked()) execve(agent, given, environ);
    _exit(0);
}

static int group_got_it(int number) {
    int hit = 0;
    usleep(75000); /* for a sender that walks the group process by process */
    for (struct guard *g = guards; g < guards + 8 && g->pid; g++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/status", g->pid);
        int64_t own = told_in(path, "SigPnd:", 16), all = told_in(path, "ShdPnd:", 16);
        if (own != -1 && all != -1 && (own | all) & ~g->told & BIT(number)) g->told |= BIT(number), hit = 1;
    }
    if (hit) start_guard();
    return hit;
}

static int changed(pid_t pid, siginfo_t *seen) { /* looked at only: who died is told apart from who is reaped */
    seen->si_pid = 0;
    return pid > 0 && !waitid(P_PID, pid, seen, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) && seen->si_pid;
}

static void look(void) { /* waits 5 ms for one signal, and acts on it */
    uint64_t all = ALL;
    siginfo_t seen;
    int status, number = syscall(SYS_rt_sigtimedwait, &all, &seen, &(struct timespec){0, 5000000}, 8);
    struct winsize size; /* as `Channels.resize`: also tells the job, which may have asked before we knew */
    for (struct channel *c = channels; number == SIGWINCH && !over && c < channels + channel_count; c++)
        if (c->source >= 0 && !ioctl(c->sink, TIOCGWINSZ, &size) && !ioctl(c->source, TIOCSWINSZ, &size))
            kill(job, SIGWINCH);
    if (number > 0 && number != SIGCHLD && !over && seen.si_pid != job && !group_got_it(number)) kill(job, number);
    if (number > 0 && over && BIT(number) & (BIT(SIGTERM) | BIT(SIGINT) | BIT(SIGHUP) | BIT(SIGQUIT))) over = 2;
    if (!over && changed(job, &seen)) {
        over = seen.si_code != CLD_STOPPED;
        if (!over && !waitid(P_PID, job, &seen, WSTOPPED | WNOHANG) && BIT(seen.si_status) & TERMINAL_STOPS) {
            kill(getpid(), seen.si_status); /* Ctrl-Z: the shell waits for us to stop, too */
            set_mask(SIG_UNBLOCK, BIT(seen.si_status));
            set_mask(SIG_BLOCK, BIT(seen.si_status));
        }
    }
    for (struct channel *c = channels; c < channels + channel_count; c++)
        if (changed(c->pump, &seen) && (seen.si_code != CLD_STOPPED || kill(c->pump, SIGKILL))) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%d/task/%d/io", c->pump, c->pump);
            int64_t counted = told_in(path, "wchar: ", 10);
            c->state[WRITTEN] = c->state[ORIGIN] == UNKNOWN || counted < 0 ? 0 : c->state[ORIGIN] + counted;
            c->state[ORIGIN] = UNKNOWN, c->state[BUSY] = 0;
            waitpid(c->pump, &status, 0), c->pump = 0;
            int is_over = WIFEXITED(status) && (WEXITSTATUS(status) == DONE || WEXITSTATUS(status) == BROKEN);
            if (is_over) close(c->source), c->source = -1; /* with BROKEN this is what the job meets as SIGPIPE */
            if (!is_over) start_pump(c);
        }
    if (unpacking > 0 && waitpid(unpacking, NULL, WNOHANG) == unpacking) unpacking = 0;
}

/* Becomes Python, which reads in one word what there is: capture/launched.py. */
static void hand_over(int argc, char **argv, int failure, int64_t began) {
    char *word = NULL, **words = calloc(argc + 2, sizeof *words);
    size_t size;
    FILE *out = open_memstream(&word, &size);
    fprintf(out, "%d,%d,%lld,%d,%d,%d", job, failure, (long long)began, life[0], life[1], channel_count);
    for (struct channel *c = channels; c < channels + channel_count; c++)
        fprintf(out, ",%d,%d,%d,%d,%d,%d,%d", c->stream, c->source, c->sink, *c->hold, c->hold[1], c->memory, c->pump);
    for (struct guard *g = guards; g < guards + 8 && g->pid; g++)
        fprintf(out, ",%d,%llu", g->pid, (unsigned long long)g->told);
    fclose(out), memcpy(words + 1, argv, argc * sizeof *argv);
    words[0] = argv[0], words[1] = "internal-adopt", words[2] = word; /* in place of "run" */
    execve(agent, words, environ);
}

static void end_like(int status) { /* as capture/status.py */
    int number = WTERMSIG(status);
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    prctl(PR_SET_DUMPABLE, 0); /* the job's own core file is not overwritten */
    if (getpid() != 1) signal(number, SIG_DFL), kill(getpid(), number), set_mask(SIG_SETMASK, 0);
    _exit(128 + number);
}

static void launch(int argc, char **argv, char **command) {
    int closed = 0, replaced[3] = {-1, -1, -1}, report[2], failure = -1, status, keep[16] = {0, 1, 2}, kept = 3;
    for (int fd = 0; fd < 3; fd++) /* so that no file of ours lands there; the job gets nothing, too */
        if (fcntl(fd, F_GETFD) < 0) closed |= 1 << fd, open("/dev/null", O_RDWR | O_CLOEXEC);
    int failed = plumb(closed, replaced) || pipe2(life, O_CLOEXEC) || pipe2(report, O_CLOEXEC);
    uint64_t callers_mask = set_mask(SIG_BLOCK, ALL);
    void (*callers)(int) = signal(SIGCHLD, SIG_DFL);
    for (struct channel *c = channels; c < channels + channel_count && !failed; c++) {
        start_pump(c);
        memcpy(keep + kept, (int[]){c->source, c->hold[0], c->hold[1], c->memory}, 4 * sizeof *keep);
        kept += 4, failed = c->pump < 0;
    }
    if (failed || (job = fork()) <= 0) {
        if (failed || job < 0) SAY("not recording, the job runs without: %s", strerror(errno));
        for (int fd = 1; fd < 3 && !failed && !job; fd++)
            if (replaced[fd] >= 0) dup2(replaced[fd], fd);
        signal(SIGCHLD, callers), set_mask(SIG_SETMASK, callers_mask);
        failure = become_job(command);
        if (failed || job) _exit(cannot_run(command[0], failure));
        _exit(write(report[1], &failure, sizeof failure) > 0 ? OUR_FAILURE : FAILED);
    }
    int64_t began = now();
    close(report[1]), given = argv, options_end = command - !strcmp(command[-1], "--");
    if (read(report[0], &failure, sizeof failure) <= 0) failure = -1;
    keep[kept++] = life[0], keep[kept++] = life[1];
    keep_only(keep, kept); /* the job may close what the caller left open to tell the other end; nor do we hold it */
    dup2(open("/dev/null", O_RDONLY), 0), start_guard();
    if (!find_unpacked()) start_unpacking(1);
    for (int64_t t = 0; unpacking > 0 && over < 2 && (!t || now() - t < 30e9); t = t || !over ? t : now()) look();
    for (int i = 0; i < kept; i++) fcntl(keep[i], F_SETFD, 0);
    if (unpacking <= 0 && find_unpacked()) hand_over(argc, argv, failure, began);
    SAY("%s", unpacking > 0 ? TOO_SOON : "not recording, the job runs without: " NO_AGENT);
    while (!over) look();
    waitpid(job, &status, 0);
    for (struct channel *c = channels; c < channels + channel_count; c++)
        while (over < 2 && c->source >= 0 &&
               (poll(&(struct pollfd){c->source, POLLIN, 0}, 1, 0) > 0 || c->state[BUSY] || held(*c->hold)))
            look();
    for (struct guard *g = guards; g < guards + 8 && g->pid; g++) kill(g->pid, SIGKILL);
    if (failure >= 0) _exit(cannot_run(command[0], failure));
    end_like(status);
}

int main(int argc, char **argv) {
    int is_run = argc > 1 && !strcmp(argv[1], "run"), at = is_run ? command_at(argc, argv, 1) : 0;
    if (at) launch(argc, argv, argv + at);
    int beside_job = argc > 1 && !strcmp(argv[1], "attach");
    if (!find_unpacked() && (start_unpacking(beside_job), unpacking > 0)) waitpid(unpacking, NULL, 0);
    if (find_unpacked()) execve(agent, argv, environ);
    if (!is_run) return dprintf(2, PROGRAM ": %s\n", NO_AGENT), 1;
    SAY("not recording, the job runs without: %s", NO_AGENT);
    at = command_at(argc, argv, 0);
    return at ? cannot_run(argv[at], become_job(argv + at)) : OUR_FAILURE;
}
