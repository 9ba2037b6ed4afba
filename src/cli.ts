#!/usr/bin/env node
// The command line: the name, arguments and options of every command.
//
// To add a command: describe it here with `program.command('NAME')`, and write it in `cli/NAME.ts`. Its action imports that
// file, so a command loads only what it needs. Options that several commands share are in `cli/flags.ts`. The command throws a
// CommandError (process/command-error.ts) with a message for the user and an exit code, and prints with process/output.ts.
// Then add it to the commands in test/cli/help.test.ts and in the docs.

import { inspect } from 'node:util'
import { Argument, Command, Option } from 'commander'
import { version } from './base/version.ts'
import {
  amount,
  configFlag,
  jsonFlag,
  levelFlag,
  port,
  portFlag,
  seconds,
  speed,
  webUrl,
  wholeNumber,
  workers,
} from './cli/flags.ts'
import { ConfigError } from './config/config-error.ts'
import { CommandError } from './process/command-error.ts'
import { err, out } from './process/output.ts'
import { guardStandardStreams } from './process/standard-streams.ts'
import { setupClientNames } from './setup/client-names.ts'

const program = new Command('dragoman')
  .description('Tool calling that works, for every coding agent, on every model backend.')
  .version(version)
  .configureOutput({ writeOut: out, writeErr: err })
  .showHelpAfterError('(see --help)')
  // Exit code 2 for a usage error, like for a configuration error.
  .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : 2))
  .addHelpText(
    'after',
    '\nFirst time here? `dragoman demo` runs everything on simulated backends, no account needed.',
  )

program
  .command('serve')
  .description('run the gateway')
  .addOption(configFlag())
  .option('--host <host>', 'address to listen on; addresses other than loopback need a long key')
  .addOption(portFlag())
  .addOption(
    new Option(
      '--workers <number>',
      'processes that share the port, one for each core to use (default: 1)',
    ).argParser(workers),
  )
  .option('--record [folder]', 'record every turn with all its content; `dragoman tape` shows the recordings')
  .option('--inspect', 'show turns live on a page at / (docs/inspector.md)')
  .addOption(levelFlag())
  .action(async (flags) => (await import('./cli/serve.ts')).serve(flags))

program
  .command('inspect')
  .description('print a one-time link to the inspector of the running gateway')
  .addOption(configFlag())
  .addOption(
    new Option('--url <url>', "the gateway's address (default: from the configuration)").argParser(webUrl),
  )
  .option('--key-file <file>', "file that holds the gateway's key (default: from the configuration)")
  .option('--open', 'also open the link in the browser')
  .action(async (flags) => (await import('./cli/inspect.ts')).inspect(flags))

program
  .command('demo')
  .description('run the gateway on embedded simulators: no account, no key, no configuration')
  .addOption(portFlag())
  .addOption(levelFlag())
  .action(async (flags) => (await import('./cli/demo.ts')).demo(flags))

program
  .command('login')
  .description('log in to a service with your account, by browser or API key')
  .addArgument(new Argument('<provider>', 'the service').choices(['cursor']))
  .addOption(configFlag())
  .option('--backend <name>', 'the configured backend to log in for, if there are several')
  .addOption(new Option('--base-url <url>', 'API to log in to (default: from the backend)').argParser(webUrl))
  .addOption(
    new Option(
      '--website-url <url>',
      'website that confirms the login (default: from the backend)',
    ).argParser(webUrl),
  )
  .option('--no-browser', 'print the address, do not open a browser')
  .option('--api-key-stdin', 'read an API key from standard input instead of using a browser')
  .action(async (_provider, flags) => (await import('./cli/login.ts')).loginCursor(flags))

program
  .command('logout')
  .description('delete stored logins')
  .addArgument(new Argument('[provider]', 'the service').choices(['cursor']).default('cursor'))
  .addOption(new Option('--base-url <url>', 'only the login for this API (default: all)').argParser(webUrl))
  .action(async (provider, flags) => (await import('./cli/logout.ts')).logout(provider, flags))

program
  .command('status')
  .description('show the credential of each backend and when it expires')
  .addOption(configFlag())
  .addOption(jsonFlag())
  .action(async (flags) => (await import('./cli/status.ts')).status(flags))

program
  .command('models')
  .description('list the models that can be called now')
  .addOption(configFlag())
  .addOption(jsonFlag())
  .action(async (flags) => (await import('./cli/models.ts')).models(flags))

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
    new Option('--budget <tokens>', 'stop before more tokens than this are spent').argParser(wholeNumber(1)),
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
  .action(async (model, flags) => (await import('./cli/probe.ts')).probeModel(model, flags))

program
  .command('setup')
  .description('set up a client for this gateway: shows the change, asks, writes it, and can undo it')
  .addArgument(new Argument('<client>', 'the client').choices(setupClientNames))
  .addOption(configFlag())
  .option('--model <name>', 'model to use (default: asks; with --yes the first)')
  .addOption(
    new Option('--url <url>', "the gateway's address (default: from the configuration)").argParser(webUrl),
  )
  .option('--key-file <file>', "file that holds the gateway's key (default: from the configuration)")
  .option('--print', 'print the change, write nothing')
  .option('--undo', 'undo what setup wrote')
  .option('--yes', 'do not ask for confirmation')
  .option('--project', "write the project's file, in this folder, instead of the user's")
  .option('--plugin', 'opencode: install the plugin, which needs no running gateway')
  .addOption(
    new Option('--shell <shell>', 'env: shell to write for (default: yours)').choices(['sh', 'fish']),
  )
  .action(async (client, flags) => (await import('./cli/setup.ts')).setup(client, flags))

program
  .command('sim')
  .description('run one simulator of a service, to try a client against it')
  .argument('<kind>', 'anthropic, cursor, openai, qwen-web or text')
  .addOption(portFlag())
  .option('--script <file>', 'JSONL script of turns to play, or a tape (docs/simulators.md)')
  .option('--server <name>', 'openai: behave like this server (docs/simulators.md)')
  .option('--quirk <names...>', 'openai: deviations of real servers from OpenAI (docs/simulators.md)')
  .option('--lenient', 'openai: accept fields that OpenAI does not know')
  .option('--http2 <setting>', 'cursor: HTTP/2 in the settings it sends, "forced" or "off"')
  .option('--bootstrap <ms>', 'cursor: delay of the first message of a new run')
  .option('--manner <name>', 'text, qwen-web: how the model writes tool calls (docs/simulators.md)')
  .option('--error <names...>', 'qwen-web: fail as the service does (docs/simulators.md)')
  .action(async (kind, flags) => (await import('./cli/sim.ts')).sim(kind, flags))

const tape = program
  .command('tape')
  .description('recorded turns (`serve --record`): list, show, compare, replay, export')
const folderFlag = () =>
  new Option(
    '--folder <folder>',
    'folder in which to find a turn by its id (default: from the configuration)',
  )
tape
  .command('ls')
  .description('list the tapes of a folder')
  .argument('[folder]', 'the folder (default: from the configuration)')
  .addOption(jsonFlag())
  .action(async (folder, flags) => (await import('./cli/tape.ts')).list(folder, flags))
tape
  .command('show')
  .description('show a turn: request, upstream request, answer, times; secrets are masked')
  .argument('<tape>', 'a file, or the id of a turn')
  .option('--frames', 'every frame, decoded')
  .option('--blobs', "Cursor: the run's blobs: kind, role, content, and which side requested them")
  .addOption(folderFlag())
  .addOption(jsonFlag())
  .action(async (wanted, flags) => (await import('./cli/tape-show.ts')).show(wanted, flags))
tape
  .command('diff')
  .description('compare two answers, ignoring ids and times; exit code 0 equal, 1 different, 2 no tape')
  .argument('<a>', 'a file, or the id of a turn')
  .argument('<b>', 'another')
  .addOption(folderFlag())
  .addOption(jsonFlag())
  .action(async (a, b, flags) => (await import('./cli/tape-diff.ts')).diff(a, b, flags))
tape
  .command('replay')
  .description('replay the upstream side and compare the answer byte for byte; exit codes of diff')
  .argument('<tape>', 'a file, or the id of a turn')
  .addOption(
    new Option(
      '--speed <factor>',
      'keep the pauses of the tape: 1 as recorded, 2 twice as fast (default: no pauses)',
    ).argParser(speed),
  )
  .addOption(folderFlag())
  .addOption(jsonFlag())
  .action(async (wanted, flags) => (await import('./cli/tape-replay.ts')).replay(wanted, flags))
tape
  .command('export')
  .description('write a turn and its follow-ups to one file to share; refuses while it holds secrets')
  .argument('<tape>', 'a file, or the id of a turn')
  .option('-o, --output <file>', 'output file (default: standard output)')
  .option('--scrub', 'replace what looks like a secret')
  .addOption(folderFlag())
  .action(async (wanted, flags) => (await import('./cli/tape-export.ts')).exportTape(wanted, flags))

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
  .addOption(new Option('--timeout <seconds>', 'how long one answer may take').argParser(seconds).default(30))
  .option('--json [file]', 'write the report as JSON, to a file or to standard output')
  .option('--html <file>', 'write the report as a page')
  .option('--yes', 'do not ask before using a model that is not on this machine')
  .option('--list', 'list the cases, test nothing')
  .action(async (url, flags) => (await import('./cli/conform.ts')).conform(url, flags))

const config = program.command('config').description('the configuration file')
config
  .command('schema')
  .description('print its JSON Schema')
  .action(async () => (await import('./cli/config.ts')).printSchema())
config
  .command('check')
  .description('check a file and show the effective settings, secrets hidden')
  .argument('[file]', 'the file (default: the one `serve` would use)')
  .addOption(configFlag())
  .action(async (file, flags) => (await import('./cli/config.ts')).check(file ?? flags.config))

program
  .command('doctor')
  .description('check configuration, credentials, reachability, port and versions')
  .addOption(configFlag())
  .addOption(jsonFlag())
  .action(async (flags) => (await import('./cli/doctor.ts')).doctor(flags))

guardStandardStreams()

try {
  await program.parseAsync()
} catch (error) {
  const isExpected = error instanceof CommandError || error instanceof ConfigError
  err(isExpected ? `dragoman: ${error.message}\n` : `${inspect(error)}\n`)
  if (!isExpected) process.exit(1)
  process.exit(error instanceof CommandError ? error.exitCode : 2)
}
