// `opscope suite PLAN`: a test session. Networks are compiled, run here or on a board, and
// profiled, each in a process of its own; the session goes on whatever happens to one of them.

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/path.h"
#include "commands.h"
#include "isolate.h"
#include "suite_report.h"

enum { TIMEOUT_SECONDS = 600, SPARE_SECONDS = 30, ATTEMPTS = 4, PATH_ROOM = 4096 };

static const char TARGET[] = "torq-sl2610";
static const char RESULTS[] = "suite-results";

// How -------------------------------------------------------------------------------------

static const char *const TORQ_REPORTS[] = {
    "{opscope} annotate {dump} {profile} {folder}/trace.pb",
    "{opscope} annotate {dump} {profile} {folder}/annotated_profile.xlsx",
    NULL,
};

// As Torq's guide does it.
static const struct trial_kind TORQ = {
    .compile = "{opscope} torq-compile {model} -o {program} --dump-compilation-phases-to={phases}",
    .run = "{runner} --module={program} {inputs} {outputs} --torq_profile_host={profile}",
    .reports = TORQ_REPORTS,
    .program = "program.vmfb",
    .profile = "host_profile.csv",
    .dump = "*.executable-targets.mlir",
    .runner = "torq-run-module",
    .command = "torq-run-module",
};

static const char *const OTHER_REPORTS[] = {
    "{opscope} convert {profile} -o {folder}/trace.pb",
    NULL,
};

static const struct trial_kind OTHER = {
    .compile = "{opscope} compile {model} --target {target} -o {program}",
    .run = "{runner} run {program} {inputs} {outputs} --profile {profile}",
    .reports = OTHER_REPORTS,
    .program = "program.opx",
    .profile = "run.prof",
    .runner = "opscope",
};

static const struct trial_kind *kind_of(const char *target)
{
    return strncmp(target, "torq", 4) == 0 ? &TORQ : &OTHER;
}

// Settings --------------------------------------------------------------------------------

struct session {
    const struct arguments *arguments;
    struct table_options table_options;
    struct trial_settings settings;
    struct list_defaults defaults;
    struct board board;
    char *cache;
    char *board_folder;
    char opscope[PATH_ROOM];
    struct plan_networks given; // on the command line
    struct suite_plan **plans;
    size_t plan_count;
    struct trial_list list;
    struct suite_report report;
};

static status find_itself(struct session *session)
{
    const ssize_t size = readlink("/proc/self/exe", session->opscope, sizeof session->opscope - 1);
    if (size < 0)
        return status_system(errno, "/proc/self/exe", "cannot tell where opscope is");
    session->opscope[size] = '\0';
    return STATUS_OK;
}

static status choose_cache(struct session *session)
{
    const char *given = arguments_value(session->arguments, "cache");
    const char *folder = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    struct bytes path = {0};
    if (given != NULL)
        bytes_append_format(&path, "%s", given);
    else if (folder != NULL && folder[0] != '\0')
        bytes_append_format(&path, "%s/opscope/suite", folder);
    else if (home != NULL && home[0] != '\0')
        bytes_append_format(&path, "%s/.cache/opscope/suite", home);
    else
        return status_make(STATUS_USAGE, "suite: there is no home folder; give --cache DIR");
    session->cache = view_copy(bytes_view(&path));
    bytes_free(&path);
    session->settings.cache = session->cache;
    return STATUS_OK;
}

// Where a login as root begins on an Astra board, this is the place that Torq's guide names.
static char *folder_on_board(void)
{
    const struct passwd *user = getpwuid(geteuid());
    struct bytes path = {0};
    bytes_append_format(&path, "iree-build-soc/%s", user != NULL ? user->pw_name : "opscope");
    char *text = view_copy(bytes_view(&path));
    bytes_free(&path);
    return text;
}

static status check_file(const char *path, const char *option)
{
    if (path != NULL && access(path, R_OK) != 0)
        return status_make(STATUS_USAGE, "suite: --%s: %s: %s", option, path, strerror(errno));
    return STATUS_OK;
}

static status choose_board(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    const char *folder = arguments_value(arguments, "torq-board-dir");
    unsigned attempts, port;
    STATUS_TRY(arguments_number(arguments, "torq-attempts", ATTEMPTS, &attempts));
    STATUS_TRY(arguments_number(arguments, "torq-port", 22, &port));
    const char *address = arguments_value(arguments, "torq-addr");
    if (address != NULL)
        session->board_folder = folder != NULL ? view_copy(view_of(folder)) : folder_on_board();
    session->board = (struct board){
        .address = address,
        .port = arguments_value(arguments, "torq-port"),
        .key = arguments_value(arguments, "torq-private-key"),
        .config = arguments_value(arguments, "torq-ssh-config"),
        .folder = session->board_folder,
        .attempts = attempts,
    };
    STATUS_TRY(check_file(session->board.key, "torq-private-key"));
    STATUS_TRY(check_file(session->board.config, "torq-ssh-config"));
    STATUS_TRY(check_file(session->settings.runner, "torq-runner"));
    if (session->board.address != NULL &&
        (session->board.address[0] == '\0' || session->board.address[0] == '-' || port > 65535))
        return status_make(STATUS_USAGE, "suite: --torq-addr root@10.0.0.2 says where the board is,"
                                         " and --torq-port is at most 65535");
    if (session->board.address != NULL)
        session->settings.board = &session->board;
    else if (strcmp(session->settings.hardware, "sim") != 0)
        return status_make(STATUS_USAGE,
                           "suite: --torq-runtime-hw-type=%s: say where it is: --torq-addr "
                           "user@host; without hardware it is sim",
                           session->settings.hardware);
    return STATUS_OK;
}

static void copy_each(const struct arguments *arguments, const char *name, struct plan_texts *texts)
{
    size_t count;
    const char *const *values = arguments_values(arguments, name, &count);
    for (size_t i = 0; i < count; i++)
        plan_texts_add(texts, view_of(values[i]));
}

static char *copy_if_any(const char *text)
{
    return text != NULL ? view_copy(view_of(text)) : NULL;
}

static status suite_read_settings(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    const char *hardware = arguments_value(arguments, "torq-runtime-hw-type");
    const char *timeout = arguments_value(arguments, "timeout");
    const char *folder = arguments_value(arguments, "output");
    STATUS_TRY(table_options_read(arguments, 0, &session->table_options));
    STATUS_TRY(find_itself(session));
    STATUS_TRY(choose_cache(session));
    session->settings.opscope = session->opscope;
    session->settings.recompute = arguments_flag(arguments, "recompute-cache");
    session->settings.hardware = hardware != NULL ? hardware : "sim";
    session->settings.update = arguments_flag(arguments, "update-astra-runtime");
    session->settings.runner = arguments_value(arguments, "torq-runner");
    session->defaults = (struct list_defaults){.target = TARGET,
                                               .timeout = TIMEOUT_SECONDS,
                                               .folder = folder != NULL ? folder : RESULTS,
                                               .kind_of = kind_of};
    if (timeout != NULL && !plan_seconds(view_of(timeout), &session->defaults.timeout))
        return status_make(STATUS_USAGE,
                           "suite: --timeout: '%s' is not a number of seconds, more than 0 and at "
                           "most a day",
                           timeout);
    copy_each(arguments, "input", &session->given.inputs);
    copy_each(arguments, "target", &session->given.targets);
    session->given.compile = copy_if_any(arguments_value(arguments, "torq-compile-cmd"));
    session->given.run = copy_if_any(arguments_value(arguments, "torq-run-cmd"));
    return choose_board(session);
}

// Networks --------------------------------------------------------------------------------

// What the plan does not say, the command line may.
static void suite_complete(struct plan_networks *networks, const struct plan_networks *given)
{
    for (size_t i = 0; networks->targets.count < given->targets.count && i < given->targets.count;
         i++)
        plan_texts_add(&networks->targets, view_of(given->targets.items[i]));
    if (networks->compile == NULL)
        networks->compile = copy_if_any(given->compile);
    if (networks->run == NULL)
        networks->run = copy_if_any(given->run);
}

static status add_plan(struct session *session, const char *path)
{
    struct input *input;
    struct suite_plan *plan;
    STATUS_TRY(input_open(path, &input));
    const status failure = suite_plan_read(path, input->bytes, &plan);
    input_close(input);
    STATUS_TRY(failure);
    session->plans[session->plan_count++] = plan;
    const struct view folder = {path, (size_t)(path_base_name(path) - path)};
    for (size_t i = 0; i < plan->count; i++) {
        suite_complete(&plan->networks[i], &session->given);
        STATUS_TRY(status_within(
            trial_list_add(&session->list, &plan->networks[i], folder, &session->defaults),
            "%s:%llu", path, (unsigned long long)plan->networks[i].line));
    }
    return STATUS_OK;
}

static status list_networks(struct session *session)
{
    size_t count;
    const char *const *words = arguments_words(session->arguments, &count);
    if (count == 0)
        return status_make(STATUS_USAGE, "suite: give a plan or networks: opscope suite nets.plan");
    session->plans = memory_allocate_zeroed(count, sizeof *session->plans);
    for (size_t i = 0; i < count; i++) {
        if (view_has_extension(view_of(words[i]), ".plan"))
            STATUS_TRY(add_plan(session, words[i]));
        else
            plan_texts_add(&session->given.models, view_of(words[i]));
    }
    return trial_list_add(&session->list, &session->given, VIEW_LITERAL(""), &session->defaults);
}

// Running ---------------------------------------------------------------------------------

struct one_trial {
    const struct trial *trial;
    const struct trial_settings *settings;
};

static void run_one(const void *context, void *result)
{
    const struct one_trial *one = context;
    trial_run(one->trial, one->settings, result);
}

static void suite_run_isolated(struct session *session, size_t index)
{
    const struct one_trial one = {&session->list.trials[index], &session->settings};
    struct trial_result *result = &session->report.results[index];
    const status failure =
        isolate_run(run_one, &one, result, sizeof *result, one.trial->timeout + SPARE_SECONDS);
    if (failure == STATUS_OK)
        return;
    *result = (struct trial_result){.status = TRIAL_FAIL, .step = "prepare"};
    snprintf(result->reason, sizeof result->reason, "%s", status_message(failure));
    status_free(failure);
}

static status suite_run_all(struct session *session, int *out_exit)
{
    const size_t count = session->list.count;
    const struct table_options *options = &session->table_options;
    session->report = (struct suite_report){
        .list = &session->list,
        .results = memory_allocate_zeroed(count + 1, sizeof *session->report.results),
        .overviews = memory_allocate_zeroed(count + 1, sizeof *session->report.overviews),
        .folder = session->defaults.folder,
    };
    struct table *table = table_create(&SUITE_FORM, &session->report, count);
    const status wrong = table_options_check(options, &table, 1);
    table_free(table);
    STATUS_TRY(wrong);
    STATUS_TRY(folder_make(session->defaults.folder));
    for (size_t i = 0; i < count; i++) {
        suite_run_isolated(session, i);
        suite_report_read_trace(&session->report, i);
        if (!options->json && !options->csv && options->columns == NULL)
            suite_report_print_one(&session->report, i);
    }
    STATUS_TRY(suite_report_write_files(&session->report));
    if (suite_report_count(&session->report, TRIAL_PASS) < count)
        *out_exit = EXIT_FAILED;
    return suite_report_print(&session->report, options);
}

static status suite_command(const struct arguments *arguments, int *out_exit)
{
    struct session session = {.arguments = arguments};
    status result = suite_read_settings(&session);
    if (result == STATUS_OK)
        result = list_networks(&session);
    if (result == STATUS_OK)
        result = suite_run_all(&session, out_exit);
    suite_report_free(&session.report);
    trial_list_free(&session.list);
    for (size_t i = 0; i < session.plan_count; i++)
        suite_plan_free(session.plans[i]);
    free(session.plans);
    plan_networks_free(&session.given);
    free(session.cache);
    free(session.board_folder);
    return result;
}

static const struct option OPTIONS[] = {
    {"output", 'o', OPTION_ONE, "DIR", "where a folder of each network goes (suite-results)"},
    {"input", 'i', OPTION_EACH, "VALUE", "the next input of networks that no plan names"},
    {"target", 't', OPTION_EACH, "NAME",
     "where a plan names none (torq-sl2610); several are taken"},
    {"timeout", 0, OPTION_ONE, "SECONDS", "for each network, where a plan says nothing (600)"},
    {"cache", 0, OPTION_ONE, "DIR", "of compiled programs (opscope/suite of the user's cache)"},
    {"recompute-cache", 0, OPTION_FLAG, NULL, "compiles again what was compiled before"},
    {"torq-addr", 0, OPTION_ONE, "USER@HOST", "runs on a board, by ssh"},
    {"torq-port", 0, OPTION_ONE, "N", "of its ssh"},
    {"torq-private-key", 0, OPTION_ONE, "FILE", "for ssh"},
    {"torq-ssh-config", 0, OPTION_ONE, "FILE", "ssh's settings in place of the user's"},
    {"torq-attempts", 0, OPTION_ONE, "N", "at connecting, each after a longer pause (4)"},
    {"torq-board-dir", 0, OPTION_ONE, "DIR", "on the board (iree-build-soc/USER of its home)"},
    {"update-astra-runtime", 0, OPTION_FLAG, NULL, "copies the runner to the board first"},
    {"torq-runner", 0, OPTION_ONE, "FILE", "what is copied (opscope for the board's processor)"},
    {"torq-runtime-hw-type", 0, OPTION_ONE, "HW", "{hardware} of a command: sim, astra_machina"},
    {"torq-compile-cmd", 0, OPTION_ONE, "COMMAND", "compiles instead, where a plan names none"},
    {"torq-run-cmd", 0, OPTION_ONE, "COMMAND", "runs instead, where a plan names none"},
    TABLE_OPTIONS("the results as JSON", "as CSV", "how many networks are shown (all)"),
    {0},
};

static const struct table_form *const TABLES[] = {&SUITE_FORM, NULL};

const struct command COMMAND_SUITE = {
    .name = "suite",
    .usage = "PLAN.plan|NETWORK... [-o DIR] [--torq-addr USER@HOST]",
    .summary = "a test session: compile, run and profile many networks, here or on a board",
    .details =
        "A plan (docs/formats/plan.md) names networks by patterns, their inputs, targets and time\n"
        "limits; networks can be given as they are, too. Inputs that nobody gives are ones.\n"
        "Each network has a process of its own, and a folder DIR/NAME with log.txt,\n"
        "wall_time.txt, its profile, trace.pb and outputs. Failures do not stop the session; at\n"
        "the end comes the Host Profile Overview of every network, and DIR has junit.xml and\n"
        "results.json. Commands have names in braces: {opscope} {model} {target} {hardware}\n"
        "{program} {phases}, and to run {runner} {inputs} {outputs} {profile}.\n"
        "On a board the runner is iree-build-soc/USER/torq-run-module of the home there, and the\n"
        "program lies beside it. A connection that is lost is tried again.",
    .examples =
        "  opscope suite nets.plan -o results\n"
        "  opscope suite model.onnx add.mlir --json\n"
        "  opscope suite nets.plan --torq-addr root@10.46.130.17 --update-astra-runtime \\\n"
        "      --recompute-cache\n"
        "  opscope suite nets.plan --torq-addr root@board --torq-runtime-hw-type astra_machina \\\n"
        "      --torq-run-cmd \"torq-run-module --torq_hw_type={hardware} --module={program} \\\n"
        "      {inputs} {outputs} --torq_profile_host={profile}\"",
    .options = OPTIONS,
    .tables = TABLES,
    .run = suite_command,
};
