// Typical mistakes of the first hour: what was typed, and what is said. docs/troubleshooting.md lists them.

/** A backend that works, as far as the file goes. */
export const box = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }

export interface Mistake {
  /** As the document shows it. */
  typed: string
  /** The command; `FILE` stands for the file that holds `config`. */
  args: readonly string[]
  /** Settings, or the text of the file. */
  config?: unknown
  /** In the output, and in the document. `…` stands for any text. */
  said: string
  /** The mistake is put right. */
  works?: true
}

const check = ['config', 'check', 'FILE']
const inBox = (more: Record<string, unknown>) => ({
  args: check,
  config: { backends: { box: { ...box, ...more } } },
})

export const mistakes: readonly Mistake[] = [
  { typed: 'dragoman serv', args: ['serv'], said: "unknown command 'serv' (Did you mean serve?)" },
  { typed: 'dragoman serve --prot 8080', args: ['serve', '--prot', '8080'], said: "unknown option '--prot' (Did you mean --port?)" },
  { typed: 'dragoman setup claudecode', args: ['setup', 'claudecode'], said: 'Did you mean claude-code? Allowed choices are …' },
  { typed: 'dragoman launch claud', args: ['launch', 'claud'], said: 'Did you mean claude-code? Allowed choices are …' },
  { typed: 'dragoman launch cursor', args: ['launch', 'cursor'], said: 'it runs on when a session ends. Set it up: dragoman setup cursor' },
  { typed: 'dragoman launch claude -p hi', args: ['launch', 'claude', '-p', 'hi'], said: "(the client's own arguments go after --, as in: launch CLIENT -- ARGS; …" },
  { typed: 'dragoman login anthropic', args: ['login', 'anthropic'], said: 'only cursor has a login. Other services take a key: set its variable, such as ANTHROPIC_API_KEY, and run `dragoman init`.' },
  { typed: 'dragoman init --backend localhost:11434', args: ['init', '--backend', 'localhost:11434'], said: 'An address begins with http:// or https://: http://localhost:11434' },
  { typed: 'dragoman serve --record notes.txt, a file', args: ['serve', '--config', 'FILE', '--record', 'FILE'], config: { backends: { box } }, said: 'Turns cannot be recorded in … (a file is in the way). Name a folder that can be written: …' },
  { typed: 'dragoman sim opnai', args: ['sim', 'opnai'], said: 'There is no simulator "opnai" (did you mean "openai"?); there are …' },
  { typed: 'dragoman usage --since yesterday', args: ['usage', '--since', 'yesterday'], said: 'expected a time such as 7d, 24h, 2w or 2026-11-01.' },
  { typed: 'dragoman serve, without a file', args: ['serve'], said: 'no file found; `dragoman init` writes one, or write ./dragoman.jsonc or …' },
  { typed: 'dragoman serve --config dragoman.json', args: ['serve', '--config', 'dragoman.json'], said: 'dragoman.json: - the file does not exist; `dragoman init --config dragoman.json` writes it' },
  { typed: '{ "backends": { "box": { "kind": "openai" "baseUrl": … } } }', args: check, config: '{ "backends": { "box": { "kind": "openai" "baseUrl": "http://127.0.0.1:9/v1" } } }', said: 'line 1: a comma is missing' },
  { typed: 'backends: …, as in YAML', args: check, config: 'backends:\n  box:\n    kind: openai\n', said: 'the file must be JSON (comments and trailing commas are allowed), and begin with {; YAML and TOML are not read' },
  { typed: '"bakends": { … }', args: check, config: { bakends: { box } }, said: 'bakends: unknown key; did you mean "backends"?' },
  { typed: '"port": 8080, at the top', args: check, config: { backends: { box }, port: 8080 }, said: 'port: unknown key; did you mean "listen.port"?' },
  { typed: '"kind": "opanai"', ...inBox({ kind: 'opanai' }), said: 'backends.box.kind: must be "anthropic", …; did you mean "openai"?' },
  { typed: '"kind": "ollama"', ...inBox({ kind: 'ollama' }), said: 'backends.box.kind: must be "anthropic", …; ollama speaks the protocol of kind "openai"' },
  { typed: '"promptCache": "off", in a backend of kind openai', ...inBox({ promptCache: 'off' }), said: 'backends.box.promptCache: unknown key of kind "openai"; it is a setting of kind "anthropic"' },
  { typed: '"proxy": "http://…", in a backend', ...inBox({ proxy: 'http://127.0.0.1:3128' }), said: 'backends.box.proxy: unknown key; did you mean "connect.proxy"?' },
  { typed: '"tools": "txt"', ...inBox({ tools: 'txt' }), said: 'backends.box.tools: must be one of "native", "text"; did you mean "text"?' },
  { typed: '"apiKey": "Bearer sk-…"', ...inBox({ apiKey: 'Bearer sk-of-mine' }), said: 'backends.box.apiKey: begins with "Bearer", which is no part of the key; leave it out' },
  { typed: '"apiKey": "\'sk-…\'"', ...inBox({ apiKey: "'sk-of-mine'" }), said: 'backends.box.apiKey: has quotes around it, which are no part of the key; leave them out' },
  { typed: '"apiKey": "$OPENAI_API_KEY"', ...inBox({ apiKey: '$OPENAI_API_KEY' }), said: 'backends.box.apiKey: a variable is written {env:OPENAI_API_KEY} here' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as people write it
  { typed: '"apiKey": "${OPENAI_API_KEY}"', ...inBox({ apiKey: '${OPENAI_API_KEY}' }), said: 'backends.box.apiKey: a variable is written {env:OPENAI_API_KEY} here' },
  { typed: '"apiKey": "{env:OPENAI_API_KEY}", not exported', ...inBox({ apiKey: '{env:OPENAI_API_KEY}' }), said: 'backends.box.apiKey: the variable OPENAI_API_KEY is not set; export it where dragoman starts' },
  { typed: '"baseUrl": "http://127.0.0.1:8000/v1/chat/completions"', ...inBox({ baseUrl: 'http://127.0.0.1:8000/v1/chat/completions' }), said: 'note: backends.box.baseUrl: /chat/completions at its end was left out, because it is appended; …', works: true },
  { typed: '"baseUrl": "https://api.anthropic.com/v1/messages", of kind openai', ...inBox({ baseUrl: 'https://api.anthropic.com/v1/messages' }), said: 'backends.box.baseUrl: ends in /v1/messages, a route of kind "anthropic"; is that its "kind"?' },
  { typed: '"models": { "fast": "bx/small" }', args: check, config: { backends: { box }, models: { fast: 'bx/small' } }, said: 'models.fast: "bx/small" must be BACKEND/MODEL with a backend of this file; did you mean "box/…"?' },
] // biome-ignore format: a table
