// Commands that try a model, a client or another gateway.

import { type Command, Option } from 'commander'
import { amount, configFlag, port, portFlag, seconds, webUrl, wholeNumber } from '../flags.ts'

export function addProbe(program: Command): void {
  program
    .command('probe')
    .description('give a model graded tool tasks through the gateway: first an estimate, then a score')
    .argument('<model>', 'name as clients send it; see `dragoman models`')
    .addOption(configFlag())
    .addOption(
      new Option('--url <url>', 'probe a gateway that is running there, not your configuration').argParser(
        webUrl,
      ),
    )
    .option(
      '--key-file <file>',
      "with --url: file that holds its key (default: $DRAGOMAN_KEY, then this machine's own)",
    )
    .option('--only <names>', 'only these groups or tasks, separated by commas (docs/probe.md)', (names) =>
      names.split(',').flatMap((name) => name.trim() || []),
    )
    .addOption(
      new Option('--door <door>', 'client protocol to use')
        .choices(['chat', 'messages', 'responses', 'gemini'])
        .default('chat'),
    )
    .option('--no-stream', 'request answers that are not streamed')
    .addOption(new Option('--repeat <times>', 'runs of each task').argParser(wholeNumber(1, 100)).default(1))
    .addOption(
      new Option('--concurrency <number>', 'tasks at the same time').argParser(wholeNumber(1, 32)).default(1),
    )
    .addOption(
      new Option('--timeout <seconds>', 'timeout of each request')
        .argParser(wholeNumber(1, 86_400))
        .default(180),
    )
    .addOption(
      new Option('--budget <tokens>', 'stop before more tokens than this are spent').argParser(
        wholeNumber(1),
      ),
    )
    .addOption(new Option('--price-in <price>', 'price of a million input tokens').argParser(amount))
    .addOption(new Option('--price-out <price>', 'price of a million output tokens').argParser(amount))
    .addOption(new Option('--min <score>', 'exit with 1 below this score').argParser(amount).default(0))
    .option('--all', 'continue even if the model never calls a tool')
    .option('--yes', 'do not ask for confirmation')
    .option('--json <file>', 'write the score card as JSON')
    .option('--html <file>', 'write the score card as a page')
    .option('--tapes <folder>', 'folder for the tapes of failed tasks (default: ./probe-MODEL-TIME)')
    .option('--tune', 'find the best settings for this model: shows the change, asks, writes it, can undo it')
    .option('--print', 'with --tune: show the change, write nothing')
    .option('--undo', 'with --tune: undo what it wrote for this model')
    .action(async (model, flags) => (await import('../probe.ts')).probeModel(model, flags))
}

export function addSim(program: Command): void {
  program
    .command('sim')
    .description('run one simulator of a service, to try a client against it')
    .argument('<kind>', 'anthropic, bedrock, cursor, gemini, openai, qwen-web, text or vertex')
    .addOption(portFlag())
    .option('--script <file>', 'JSONL script of turns to play, or a tape (docs/simulators.md)')
    .option('--server <name>', 'openai: behave like this server (docs/simulators.md)')
    .option('--quirk <names...>', 'openai: deviations of real servers from OpenAI (docs/simulators.md)')
    .option('--lenient', 'openai: accept fields that OpenAI does not know')
    .option('--http2 <setting>', 'cursor: HTTP/2 in the settings it sends, "forced" or "off"')
    .option('--bootstrap <ms>', 'cursor: delay of the first message of a new run')
    .option('--manner <name>', 'text, qwen-web: how the model writes tool calls (docs/simulators.md)')
    .option('--error <names...>', 'qwen-web: fail as the service does (docs/simulators.md)')
    .action(async (kind, flags) => (await import('../sim.ts')).sim(kind, flags))
}

export function addConform(program: Command): void {
  program
    .command('conform')
    .description('test any OpenAI-compatible gateway against the published wire cases (docs/conformance.md)')
    .argument('[url]', "the gateway's base URL, such as http://127.0.0.1:18741/v1")
    .option('--model <name>', 'model to request; {case} in it becomes the name of the case')
    .option('--key <key>', "the gateway's key (default: $DRAGOMAN_CONFORM_KEY)")
    .addOption(
      new Option(
        '--upstream <kind>',
        'run a misbehaving upstream of this kind; point the gateway at it',
      ).choices(['openai', 'anthropic']),
    )
    .addOption(
      new Option('--upstream-port <port>', 'port of that upstream; 0 picks a free one').argParser(port),
    )
    .option('--upstream-host <host>', 'address of that upstream (default: 127.0.0.1)')
    .addOption(
      new Option('--wait <seconds>', "how long to wait for the gateway's first request to it")
        .argParser(seconds)
        .default(120),
    )
    .option('--doors <names>', 'APIs to test: chat,messages,responses (default: all that answer)')
    .option('--only <cases>', 'only these cases, such as T7,T12')
    .option('--header <line...>', 'a header for every request, such as "x-portkey-provider: openai"')
    .addOption(
      new Option('--timeout <seconds>', 'how long one answer may take').argParser(seconds).default(30),
    )
    .option('--json [file]', 'write the report as JSON, to a file or to standard output')
    .option('--html <file>', 'write the report as a page')
    .option('--yes', 'do not ask before using a model that is not on this machine')
    .option('--list', 'list the cases, test nothing')
    .action(async (url, flags) => (await import('../conform.ts')).conform(url, flags))
}
