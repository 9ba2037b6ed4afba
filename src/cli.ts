#!/usr/bin/env node
// The command line. Each command is one file in cli/; this one knows only their names and flags.

import { inspect } from 'node:util'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { version } from './base/version.ts'
import { ConfigError } from './config/config-error.ts'
import { mostWorkers } from './config/workers.ts'
import { CommandError } from './process/command-error.ts'
import { err, out } from './process/output.ts'
import { guardStandardStreams } from './process/standard-streams.ts'
import { setupClientNames } from './setup/client-names.ts'

function port(value: string): number {
  const found = Number(value)
  if (value.trim() !== '' && Number.isInteger(found) && found >= 0 && found <= 65_535) return found
  throw new InvalidArgumentError('a port is a number from 0 to 65535; 0 picks a free one.')
}

function workers(value: string): number {
  const found = Number(value)
  if (/^\d+$/.test(value) && found >= 1 && found <= mostWorkers) return found
  throw new InvalidArgumentError(
    `it is how many processes serve, a number from 1 to ${mostWorkers}: one for each core that shall be used.`,
  )
}

const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (value: string): number => {
    const found = Number(value)
    if (/^\d+$/.test(value) && found >= least && found <= most) return found
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `it is a whole number from ${least} on.`
        : `it is a whole number from ${least} to ${most}.`,
    )
  }

function amount(value: string): number {
  const found = Number(value)
  if (/^\d/.test(value) && Number.isFinite(found)) return found
  throw new InvalidArgumentError('it is a number of 0 or more.')
}

function speed(value: string): number {
  const found = Number(value)
  if (value.trim() !== '' && found > 0 && Number.isFinite(found)) return found
  throw new InvalidArgumentError('it is a number above 0: 1 is as recorded, 2 twice as fast.')
}

function seconds(value: string): number {
  const found = Number(value)
  if (/^\d+(\.\d+)?$/.test(value) && found > 0 && found <= 86_400) return found
  throw new InvalidArgumentError('it is a number of seconds, such as 30.')
}

function webUrl(value: string): string {
  if (/^https?:\/\/[^/]/i.test(value) && URL.canParse(value)) return value
  throw new InvalidArgumentError('it must be an http:// or https:// URL.')
}

const configFlag = () =>
  new Option(
    '--config <file>',
    "configuration file (default: $DRAGOMAN_CONFIG, ./dragoman.jsonc, then the user's)",
  )
const portFlag = () => new Option('--port <port>', 'port to listen on; 0 picks a free one').argParser(port)
const jsonFlag = () => new Option('--json', 'machine-readable output')
const levelFlag = () =>
  new Option('--log-level <level>', 'what to log on stderr').choices([
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ])

const program = new Command('dragoman')
  .description('Tool calling that works, for every coding agent, on every model backend.')
  .version(version)
  .configureOutput({ writeOut: out, writeErr: err })
  .showHelpAfterError('(--help shows what there is)')
  // A wrong call is 2, as a wrong configuration is.
  .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : 2))
  .addHelpText(
    'after',
    '\nFirst time here? `dragoman demo` runs everything on simulated backends, no account needed.',
  )

program
  .command('serve')
  .description('run the gateway')
  .addOption(configFlag())
  .option('--host <host>', 'address to listen on; another than loopback needs a long key')
  .addOption(portFlag())
  .addOption(
    new Option(
      '--workers <number>',
      'processes that share the port, one for each core that shall be used (default: 1)',
    ).argParser(workers),
  )
  .option('--record [folder]', 'record every turn, with everything that is said: `dragoman tape` shows them')
  .option('--inspect', 'show turns as they happen, on a page at / (docs/inspector.md)')
  .addOption(levelFlag())
  .action(async (flags) => (await import('./cli/serve.ts')).serve(flags))

program
  .command('inspect')
  .description('print a link that logs a browser in to the inspector of the running gateway, once')
  .addOption(configFlag())
  .addOption(
    new Option('--url <url>', "the gateway's address (default: that of the configuration)").argParser(webUrl),
  )
  .option('--key-file <file>', "file that holds the gateway's key (default: that of the configuration)")
  .option('--open', 'open it in the browser as well')
  .action(async (flags) => (await import('./cli/inspect.ts')).inspect(flags))

program
  .command('demo')
  .description('run the gateway on embedded simulators: no account, no key, no configuration')
  .addOption(portFlag())
  .addOption(levelFlag())
  .action(async (flags) => (await import('./cli/demo.ts')).demo(flags))

program
  .command('login')
  .description('log in to a service with your own account, by browser or API key')
  .addArgument(new Argument('<provider>', 'the service').choices(['cursor']))
  .addOption(configFlag())
  .option('--backend <name>', 'the configured backend to log in for, where there are several')
  .addOption(
    new Option('--base-url <url>', 'API to log in to (default: that of the backend)').argParser(webUrl),
  )
  .addOption(
    new Option(
      '--website-url <url>',
      'website that confirms the login (default: that of the backend)',
    ).argParser(webUrl),
  )
  .option('--no-browser', 'only print the address, open nothing')
  .option('--api-key-stdin', 'read an API key from standard input instead of using a browser')
  .action(async (_provider, flags) => (await import('./cli/login.ts')).loginCursor(flags))

program
  .command('logout')
  .description('forget stored logins')
  .addArgument(new Argument('[provider]', 'the service').choices(['cursor']).default('cursor'))
  .addOption(new Option('--base-url <url>', 'only the login for this API (default: all)').argParser(webUrl))
  .action(async (provider, flags) => (await import('./cli/logout.ts')).logout(provider, flags))

program
  .command('status')
  .description('show which credential each backend uses, and until when')
  .addOption(configFlag())
  .addOption(jsonFlag())
  .action(async (flags) => (await import('./cli/status.ts')).status(flags))

program
  .command('models')
  .description('list what can be called now')
  .addOption(configFlag())
  .addOption(jsonFlag())
  .action(async (flags) => (await import('./cli/models.ts')).models(flags))

program
  .command('probe')
  .description(
    'give a model graded tool tasks, through the gateway: says first what it costs, then how it did',
  )
  .argument('<model>', 'as clients call it; `dragoman models` lists what there is')
  .addOption(configFlag())
  .option('--only <names>', 'only these groups or tasks, separated by commas (docs/probe.md)', (names) =>
    names.split(',').flatMap((name) => name.trim() || []),
  )
  .addOption(
    new Option('--door <door>', 'the protocol that is spoken')
      .choices(['chat', 'messages', 'responses'])
      .default('chat'),
  )
  .option('--no-stream', 'ask for whole answers')
  .addOption(
    new Option('--repeat <times>', 'run each task so often').argParser(wholeNumber(1, 100)).default(1),
  )
  .addOption(
    new Option('--concurrency <number>', 'so many tasks at once').argParser(wholeNumber(1, 32)).default(1),
  )
  .addOption(
    new Option('--timeout <seconds>', 'for each request').argParser(wholeNumber(1, 86_400)).default(180),
  )
  .addOption(
    new Option('--budget <tokens>', 'stop before so many tokens are spent').argParser(wholeNumber(1)),
  )
  .addOption(new Option('--price-in <price>', 'of a million tokens of input').argParser(amount))
  .addOption(new Option('--price-out <price>', 'of a million tokens of output').argParser(amount))
  .addOption(new Option('--min <score>', 'exit with 1 below this score').argParser(amount).default(0))
  .option('--all', 'go on although no tool is ever called')
  .option('--yes', 'ask nothing')
  .option('--json <file>', 'write the score card as JSON')
  .option('--html <file>', 'write the score card as a page')
  .option('--tapes <folder>', "where failed tasks' tapes go (default: ./probe-MODEL-TIME)")
  .action(async (model, flags) => (await import('./cli/probe.ts')).probeModel(model, flags))

program
  .command('setup')
  .description('set up a client for this gateway: shows the change, asks, writes it, and can take it back')
  .addArgument(new Argument('<client>', 'the client').choices(setupClientNames))
  .addOption(configFlag())
  .option('--model <name>', 'the model that it shall use (default: asked for; the first one with --yes)')
  .addOption(
    new Option('--url <url>', "the gateway's address (default: that of the configuration)").argParser(webUrl),
  )
  .option('--key-file <file>', "file that holds the gateway's key (default: that of the configuration)")
  .option('--print', 'only print what would be written')
  .option('--undo', 'take back what was written')
  .option('--yes', 'ask nothing')
  .option('--project', "write the project's file, in this folder, instead of the user's")
  .option('--plugin', 'opencode: by the plugin, without a gateway that runs')
  .addOption(new Option('--shell <shell>', 'env: for which shell (default: yours)').choices(['sh', 'fish']))
  .action(async (client, flags) => (await import('./cli/setup.ts')).setup(client, flags))

program
  .command('sim')
  .description('run one simulator alone, so that any client can be tried against it')
  .argument('<kind>', 'anthropic, cursor, openai, qwen-web or text')
  .addOption(portFlag())
  .option('--script <file>', 'JSONL script of turns to play, or a tape (docs/simulators.md)')
  .option('--server <name>', 'openai: refuse and answer as this server does (docs/simulators.md)')
  .option('--quirk <names...>', 'openai: differ from OpenAI as real servers do (docs/simulators.md)')
  .option('--lenient', 'openai: take fields that OpenAI does not know')
  .option('--http2 <setting>', 'cursor: what its settings say about HTTP/2, "forced" or "off"')
  .option('--bootstrap <ms>', 'cursor: what a new run costs before its first message')
  .option('--manner <name>', 'text, qwen-web: how the model writes its calls (docs/simulators.md)')
  .option('--error <names...>', 'qwen-web: fail as the service does (docs/simulators.md)')
  .action(async (kind, flags) => (await import('./cli/sim.ts')).sim(kind, flags))

const tape = program
  .command('tape')
  .description('what was recorded (`serve --record`): list, show, compare, play to this program, hand on')
const folderFlag = () =>
  new Option('--folder <folder>', 'where to look for turns by their id (default: that of the configuration)')
tape
  .command('ls')
  .description('list the tapes of a folder')
  .argument('[folder]', 'the folder (default: that of the configuration)')
  .addOption(jsonFlag())
  .action(async (folder, flags) => (await import('./cli/tape.ts')).list(folder, flags))
tape
  .command('show')
  .description('tell what happened in a turn: asked, sent upstream, answered, when; secrets masked')
  .argument('<tape>', 'a file, or the id of a turn')
  .option('--frames', 'every frame, decoded')
  .option('--blobs', "Cursor: the run's blobs: kind, role, content, who asked for them")
  .addOption(folderFlag())
  .addOption(jsonFlag())
  .action(async (wanted, flags) => (await import('./cli/tape-show.ts')).show(wanted, flags))
tape
  .command('diff')
  .description(
    'compare what two clients were answered, but for ids and times; 0 the same, 1 different, 2 no tape',
  )
  .argument('<a>', 'a file, or the id of a turn')
  .argument('<b>', 'another')
  .addOption(folderFlag())
  .addOption(jsonFlag())
  .action(async (a, b, flags) => (await import('./cli/tape-diff.ts')).diff(a, b, flags))
tape
  .command('replay')
  .description(
    'play the upstream side to this program and compare the answer to the byte; exits as diff does',
  )
  .argument('<tape>', 'a file, or the id of a turn')
  .addOption(
    new Option(
      '--speed <factor>',
      'with the pauses of the tape: 1 as recorded, 2 twice as fast (default: none)',
    ).argParser(speed),
  )
  .addOption(folderFlag())
  .addOption(jsonFlag())
  .action(async (wanted, flags) => (await import('./cli/tape-replay.ts')).replay(wanted, flags))
tape
  .command('export')
  .description('one file to hand on, with the turns that it goes on with; refused while secrets are in it')
  .argument('<tape>', 'a file, or the id of a turn')
  .option('-o, --output <file>', 'where to (default: standard output)')
  .option('--scrub', 'put filler in the places of what looks like a secret')
  .addOption(folderFlag())
  .action(async (wanted, flags) => (await import('./cli/tape-export.ts')).exportTape(wanted, flags))

program
  .command('conform')
  .description('judge any OpenAI-compatible gateway by the published wire cases (docs/conformance.md)')
  .argument('[url]', "the gateway's base URL, such as http://127.0.0.1:18741/v1")
  .option('--model <name>', 'the model to ask for; {case} in it becomes the name of the case')
  .option('--key <key>', "the gateway's key (default: $DRAGOMAN_CONFORM_KEY)")
  .addOption(
    new Option(
      '--upstream <kind>',
      'play a misbehaving upstream of this kind, at which the gateway is pointed',
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
  .option('--doors <names>', 'which APIs to judge: chat,messages,responses (default: all that answer)')
  .option('--only <cases>', 'only these cases, such as T7,T12')
  .option('--header <line...>', 'a header for every request, such as "x-portkey-provider: openai"')
  .addOption(new Option('--timeout <seconds>', 'how long one answer may take').argParser(seconds).default(30))
  .option('--json [file]', 'the report as JSON, into a file or on standard output')
  .option('--html <file>', 'the report as one page')
  .option('--yes', 'do not ask before a model is used that is not on this machine')
  .option('--list', 'only list the cases')
  .action(async (url, flags) => (await import('./cli/conform.ts')).conform(url, flags))

const config = program.command('config').description('the configuration file')
config
  .command('schema')
  .description('print its JSON Schema')
  .action(async () => (await import('./cli/config.ts')).printSchema())
config
  .command('check')
  .description('check a file and say what it means in effect, secrets hidden')
  .argument('[file]', 'the file (default: the one that `serve` would use)')
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
