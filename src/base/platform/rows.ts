// Every path, file mode, command and signal that depends on the system: one row each. The code takes what it uses from here, and
// docs/platforms.md shows these rows; test/platforms checks both, and that no file of src has a system's ways without a row.
//
// In paths `~` is the home folder, and %NAME% a variable of Windows. In commands a word in capital letters is filled in.

import type { System } from './system.ts'

export interface Row extends Readonly<Record<System, string>> {
  what: string
  /** The files or folders of src that use it. */
  in: readonly string[]
}

/** `everywhere` the same, as far as nothing else is said. */
const row = (
  what: string,
  everywhere: string,
  { in: files, ...others }: Partial<Record<System, string>> & { in: readonly string[] },
): Row => ({ what, linux: everywhere, macos: everywhere, windows: everywhere, ...others, in: files })

const noMode = 'none: the access list of the folder, which a user profile limits to its user'
const onlyLinux = { macos: 'not offered', windows: 'not offered' }
const localTools = ['local-tools/']

/** Folders of the gateway. A variable that is set replaces the part before `dragoman`, on every system. */
export const folders = {
  config: {
    ...row('configuration: `config.jsonc`, `service.env`', '~/.config/dragoman', {
      windows: '%APPDATA%\\dragoman',
      in: ['config/environment.ts', 'cli/service'],
    }),
    variable: 'XDG_CONFIG_HOME',
  },
  data: {
    ...row('secrets: `key`, `auth.json`, `setup/`', '~/.local/share/dragoman', {
      windows: '%LOCALAPPDATA%\\dragoman\\data',
      in: ['config/environment.ts'],
    }),
    variable: 'XDG_DATA_HOME',
  },
  state: {
    ...row(
      'records: `usage.jsonl`, `audit.jsonl`, `seal.key`, `tapes/`, `running/`, `conversations/`, `accounts.json`, `opencode/`, `compiled/`',
      '~/.local/state/dragoman',
      { windows: '%LOCALAPPDATA%\\dragoman\\state', in: ['config/environment.ts'] },
    ),
    variable: 'XDG_STATE_HOME',
  },
} satisfies Record<string, Row & { variable: string }>

/** Files of other programs. */
export const places = {
  clientHome: row(
    'Claude Code, Codex, Gemini CLI, Qwen Code, Continue, Cline, Kimi, pi, both Groks: folders in the home folder, or where their own variable says',
    '~',
    { in: ['setup/clients/', 'config/environment.ts'] },
  ),
  configHome: row('OpenCode and Kilo: configuration, or in `$XDG_CONFIG_HOME`', '~/.config', {
    windows: '~\\.config',
    in: ['cli/setup-facts.ts', 'plugin/option-source.ts'],
  }),
  hostData: row('OpenCode: credentials, or in `$XDG_DATA_HOME`', '~/.local/share', {
    windows: '~\\.local\\share',
    in: ['plugin/host-auth.ts'],
  }),
  crush: row('Crush: `crush.json`', '~/.config/crush', {
    windows: '%LOCALAPPDATA%\\crush',
    in: ['setup/clients/crush.ts'],
  }),
  zed: row('Zed: `settings.json`', '~/.config/zed', {
    windows: '%APPDATA%\\Zed',
    in: ['setup/clients/zed.ts'],
  }),
  temporary: row('temporary files of `probe` and `launch`', "the system's own (`TMPDIR`)", {
    windows: "the system's own (`TEMP`)",
    in: ['judge/probe/tape-staging.ts', 'cli/session-folder.ts', ...localTools],
  }),
} satisfies Record<string, Row>

export const modes = {
  file: row('a file with secrets or content', '0600', {
    windows: noMode,
    in: [
      'base/platform/owner-only.ts',
      'cli/check-safety.ts',
      'cli/doctor.ts',
      'cli/env-file.ts',
      'cli/key-file.ts',
      'cli/launch-gateway.ts',
      'cli/service-variables.ts',
      'cli/session-folder.ts',
      'credentials/',
      'server/seal-secret.ts',
      'process/control-file.ts',
      'plugin/model-cache.ts',
      'backends/cursor/conversation-folder.ts',
      'backends/pool/account-file.ts',
      'tapes/',
      'setup/',
      'observe/rotating-file.ts',
    ],
  }),
  folder: row('a folder for them', '0700', {
    windows: noMode,
    in: [
      'cli/compile-cache.ts',
      'cli/key-file.ts',
      'cli/session-folder.ts',
      'cli/tape-folder.ts',
      'credentials/',
      'server/seal-secret.ts',
      'process/control-file.ts',
      'plugin/model-cache.ts',
      'backends/cursor/conversation-folder.ts',
      'backends/pool/account-file.ts',
      'tapes/',
      'setup/',
      'observe/rotating-file.ts',
      'judge/probe/tape-staging.ts',
    ],
  }),
  report: row('a score card of `probe`, the file of a service', '0644', {
    windows: noMode,
    in: ['cli/probe.ts', 'cli/probe-tune.ts', 'cli/service.ts'],
  }),
  client: row("a client's file that `setup` edits", 'as it was; 0600 if it holds the key', {
    windows: 'as it was; a read-only file is refused',
    in: ['setup/'],
  }),
  localTools: row("files that the gateway's own tools write", 'as it was, or by the umask', {
    ...onlyLinux,
    in: localTools,
  }),
} satisfies Record<string, Row>

export const commands = {
  browser: row('opens a page (`login`, `inspect --open`)', 'xdg-open URL', {
    macos: 'open URL',
    windows: 'rundll32 url.dll,FileProtocolHandler URL',
    in: ['credentials/open-browser.ts'],
  }),
  printKey: row('prints the key, for clients that run a command', 'cat FILE', {
    windows: 'node -p SCRIPT',
    in: ['setup/plan.ts'],
  }),
  setVariable: row(
    'sets a variable (`setup env`, `--shell`, the words of `init`)',
    'export NAME=VALUE, in fish set -gx NAME VALUE',
    {
      windows: '$env:NAME = VALUE, in Git Bash export NAME=VALUE',
      in: ['setup/export-lines.ts', 'cli/init-words.ts'],
    },
  ),
  client: row('starts a client (`launch`)', 'its program, by `PATH`', {
    windows: 'not offered: use `setup`',
    in: ['cli/run-client.ts', 'cli/launch.ts', 'cli/init-words.ts'],
  }),
  worker: row('starts a worker (`serve --workers`)', 'node worker.js', { in: ['process/workers/'] }),
  localTools: row('local tools', 'bwrap, bash, git, rg, nice, mkfifo', { ...onlyLinux, in: localTools }),
} satisfies Record<string, Row>

export const signals = {
  stop: row('running answers end, then the gateway; a second one ends it at once', 'SIGTERM SIGINT', {
    windows: 'SIGTERM SIGINT SIGBREAK',
    in: [
      'process/run-gateway.ts',
      'process/workers/',
      'cli/inspect-tapes.ts',
      'cli/sim.ts',
      'cli/login.ts',
      'cli/conform.ts',
      'cli/probe-flags.ts',
      'cli/service-commands.ts',
      'base/platform/',
    ],
  }),
  reload: row('the configuration is read again', 'SIGHUP', {
    windows: 'none: use `dragoman reload`',
    in: [
      'process/',
      'cli/running-gateway.ts',
      'cli/config.ts',
      'cli/commands/gateway.ts',
      'config/schema.ts',
    ],
  }),
  closed: row('the terminal was closed: as a stop', 'SIGHUP', {
    windows: 'SIGHUP, and Windows ends the process 10 s later',
    in: ['process/hangup.ts'],
  }),
  client: row('passed on to the client (`launch`)', 'SIGTERM SIGHUP SIGINT', {
    windows: 'not offered',
    in: ['cli/run-client.ts'],
  }),
  end: row('a worker that does not stop', 'SIGKILL', { in: ['process/workers/shared-state.ts'] }),
  localTools: row('a command of local tools that runs too long', 'SIGTERM, then SIGKILL', {
    ...onlyLinux,
    in: localTools,
  }),
} satisfies Record<string, Row>

/** Further differences. */
export const differences = {
  terminate: row('ending the process from outside (`kill`, `taskkill /F`)', 'a stop, as above', {
    windows: 'ends it at once: running answers break off',
    in: ['process/'],
  }),
  redis: row('`sessions.redis`', 'redis://, rediss://, unix://', {
    windows: 'redis://, rediss://; unix:// is refused at the start',
    in: ['config/peers.ts'],
  }),
  replace: row('replacing a file', 'rename: at once', {
    windows: 'rename; while another program has the file open, tried again for 0.6 s',
    in: ['base/platform/replace-file.ts', 'credentials/file-lock.ts'],
  }),
  lines: row('line ends of an edited file', 'as in the file', { in: ['setup/'] }),
  letters: row('capital letters in names of files', 'count', {
    macos: 'do not count: no two files of the gateway differ by them alone',
    windows: 'do not count: no two files of the gateway differ by them alone',
    in: ['base/platform/is-inside.ts'],
  }),
  home: row('`~/` in the configuration', 'the home folder', {
    windows: 'the home folder; also `~\\`',
    in: ['config/load.ts', 'plugin/providers.ts'],
  }),
  pipes: row('a pipe as a file, such as `--config <(…)`', 'is read', {
    windows: 'does not exist',
    in: ['base/read-file.ts'],
  }),
  portHolder: row('"port in use" says by whom', 'a gateway, or the process by /proc', {
    macos: 'a gateway',
    windows: 'a gateway',
    in: ['process/port-holder.ts'],
  }),
  localTools: row('local tools (`exec.enabled`)', 'offered', {
    macos: 'refused at the start, and by `doctor` and `config check`',
    windows: 'refused at the start, and by `doctor` and `config check`',
    in: ['config/exec.ts', ...localTools],
  }),
} satisfies Record<string, Row>

/** `dragoman service`: a program of the user's own, started when that user logs in. Commands in a row are separated by `; `. */
export const services = {
  name: row('known to the system as', 'dragoman.service', {
    macos: 'local.dragoman',
    windows: 'dragoman',
    in: ['service/'],
  }),
  file: row('file of the service, without secrets', '~/.config/systemd/user/dragoman.service', {
    macos: '~/Library/LaunchAgents/local.dragoman.plist',
    windows: '%LOCALAPPDATA%\\dragoman\\service.xml',
    in: ['service/'],
  }),
  log: row('log', 'the journal', {
    macos: '~/Library/Logs/dragoman.log',
    windows: '%LOCALAPPDATA%\\dragoman\\service.log',
    in: ['service/'],
  }),
  reach: row('is there a manager of services?', 'systemctl --user show --property=Version', {
    macos: 'launchctl print gui/UID',
    windows: 'schtasks /Query /?',
    in: ['cli/service-commands.ts'],
  }),
  install: row(
    '`install`, after the file is written',
    'systemctl --user daemon-reload; systemctl --user enable NAME; systemctl --user restart NAME',
    {
      macos: 'launchctl enable gui/UID/NAME; launchctl bootstrap gui/UID FILE',
      windows: 'schtasks /Create /TN NAME /XML FILE /F; schtasks /Run /TN NAME',
      in: ['cli/service-commands.ts'],
    },
  ),
  stop: row('ends the one that runs, before `install` and `uninstall`', '', {
    macos: 'launchctl bootout gui/UID/NAME',
    windows: 'schtasks /End /TN NAME',
    in: ['cli/service-commands.ts'],
  }),
  remove: row('`uninstall`, before the file is removed', 'systemctl --user disable --now NAME', {
    macos: '',
    windows: 'schtasks /Delete /TN NAME /F',
    in: ['cli/service-commands.ts'],
  }),
  forget: row('and after it is', 'systemctl --user daemon-reload', {
    macos: '',
    windows: '',
    in: ['cli/service-commands.ts'],
  }),
  state: row(
    '`status`',
    'systemctl --user show NAME --property=LoadState,ActiveState,UnitFileState,MainPID,ExecMainStatus',
    {
      macos: 'launchctl print gui/UID/NAME',
      windows: 'schtasks /Query /TN NAME',
      in: ['cli/service-commands.ts'],
    },
  ),
  logs: row('`logs`', 'journalctl --user --user-unit=NAME --no-pager --output=cat --lines=LINES', {
    macos: 'tail -n LINES LOG',
    windows: 'powershell -NoProfile -NonInteractive -Command SHOW',
    in: ['cli/service-commands.ts'],
  }),
  follow: row('`logs --follow`', 'journalctl --user --user-unit=NAME --output=cat --lines=LINES --follow', {
    macos: 'tail -n LINES -F LOG',
    windows: 'powershell -NoProfile -NonInteractive -Command FOLLOW',
    in: ['cli/service-commands.ts'],
  }),
} satisfies Record<string, Row>
