// More agents of the matrix: what is installed, and how each is told where the gateway is. Some speak several dialects.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

/** Anthropic's clients add /v1 to the URL themselves. */
const baseOf = (url, isAnthropic) => (isAnthropic ? url : `${url}/v1`)

const clineOf = (provider) => ({
  folder: 'cline',
  packages: ['cline@3.0.65'],
  start({ installed, home, url, model, prompt }) {
    const baseUrl = provider === 'ollama' ? url : `${url}/v1`
    const settings = { provider, apiKey: 'any', model, baseUrl }
    write(join(home, '.cline/data/settings/providers.json'), {
      version: 1,
      lastUsedProvider: provider,
      modes: {},
      providers: {
        [provider]: { settings, updatedAt: '2026-11-01T00:00:00.000Z', tokenSource: 'manual' },
      },
    })
    return {
      command: join(installed, 'node_modules/.bin/cline'),
      args: ['-P', provider, '-m', model, '--auto-approve', 'true', prompt],
      env: { CLINE_NO_AUTO_UPDATE: '1', CLINE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    }
  },
})

const continueCli = {
  folder: 'continue',
  packages: ['@continuedev/cli@1.5.47'],
  tellsExitCodes: false,
  start({ installed, home, url, model, prompt }) {
    const config = join(home, 'config.yaml')
    write(
      config,
      `name: dragoman
version: 0.0.1
schema: v1
models:
  - name: dragoman
    provider: openai
    model: ${model}
    apiBase: ${url}/v1
    apiKey: any
    roles: [chat, edit, apply]
    capabilities: [tool_use]
`,
    )
    return {
      command: process.execPath,
      args: [join(installed, 'node_modules/.bin/cn'), '-p', '--config', config, '--auto', prompt],
      env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: '0' },
    }
  },
}

const copilot = (type, wire) => ({
  folder: 'copilot',
  packages: ['@github/copilot@1.0.102'],
  start: ({ installed, home, url, model, prompt }) => ({
    command: process.execPath,
    args: [
      join(installed, 'node_modules/.bin/copilot'),
      ...['-p', prompt, '--allow-all-tools', '--allow-all-paths', '--no-auto-update'],
    ],
    env: {
      COPILOT_PROVIDER_BASE_URL: baseOf(url, type === 'anthropic'),
      COPILOT_PROVIDER_TYPE: type,
      COPILOT_PROVIDER_WIRE_API: wire,
      COPILOT_PROVIDER_API_KEY: 'any',
      COPILOT_MODEL: model,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_HOME: join(home, '.copilot'),
    },
  }),
})

const kimi = (type) => ({
  folder: 'kimi',
  packages: ['@moonshot-ai/kimi-code@2.1.0'],
  newerNode: true,
  start({ installed, newerNode, home, url, model, prompt }) {
    const folder = join(home, '.kimi-code')
    write(
      join(folder, 'config.toml'),
      `default_model = "demo"
telemetry = false
[providers.dragoman]
type = "${type}"
base_url = "${baseOf(url, type === 'anthropic')}"
api_key = "any"
[models.demo]
provider = "dragoman"
model = "${model}"
max_context_size = 128000
`,
    )
    return {
      command: newerNode,
      args: [join(installed, 'node_modules/.bin/kimi'), '-p', prompt],
      env: { KIMI_CODE_HOME: folder, KIMI_CODE_NO_AUTO_UPDATE: '1', KIMI_DISABLE_TELEMETRY: '1' },
    }
  },
})

const pi = (api) => ({
  folder: 'pi',
  packages: ['@mariozechner/pi-coding-agent@0.73.1'],
  start({ installed, home, url, model, prompt }) {
    const folder = join(home, '.pi/agent')
    const entry = {
      id: model,
      reasoning: api === 'openai-responses',
      input: ['text'],
      contextWindow: 128_000,
      maxTokens: 32_000,
    }
    const provider = {
      baseUrl: baseOf(url, api === 'anthropic-messages'),
      apiKey: 'any',
      api,
      models: [entry],
    }
    write(join(folder, 'models.json'), { providers: { dragoman: provider } })
    return {
      command: process.execPath,
      args: [
        join(installed, 'node_modules/.bin/pi'),
        ...['-p', '--provider', 'dragoman', '--model', model, prompt],
      ],
      env: { PI_CODING_AGENT_DIR: folder, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    }
  },
})

/** A fork of OpenCode, with its configuration. */
const kilo = {
  folder: 'kilo',
  packages: ['@kilocode/cli@7.7.7'],
  tellsExitCodes: false,
  start({ installed, workspace, url, model, prompt }) {
    write(join(workspace, 'kilo.json'), {
      autoupdate: false,
      share: 'disabled',
      model: `dragoman/${model}`,
      small_model: `dragoman/${model}`,
      permission: { '*': 'allow' },
      enabled_providers: ['dragoman'],
      provider: {
        dragoman: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: 'any' },
          models: { [model]: { tool_call: true, limit: { context: 128_000, output: 32_000 } } },
        },
      },
    })
    return {
      command: join(installed, 'node_modules/.bin/kilo'),
      args: ['run', '--auto', prompt],
      env: {
        KILO_DISABLE_AUTOUPDATE: '1',
        KILO_DISABLE_MODELS_FETCH: '1',
        KILO_DISABLE_DEFAULT_PLUGINS: '1',
        KILO_TELEMETRY_LEVEL: 'off',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
    }
  },
}

const grokCli = {
  folder: 'grok',
  packages: ['@vibe-kit/grok-cli@0.0.34'],
  newerNode: true,
  tellsExitCodes: false,
  start: ({ installed, newerNode, url, model, prompt }) => ({
    command: newerNode,
    args: [
      join(installed, 'node_modules/.bin/grok'),
      ...['-k', 'any', '-u', `${url}/v1`, '-m', model, '-p', prompt],
    ],
    env: {},
  }),
}

/** xAI's own. */
const grokBuild = (api) => ({
  folder: 'grok-build',
  packages: ['@xai-official/grok@1.0.41'],
  start({ installed, home, url, model, prompt }) {
    write(
      join(home, '.grok/config.toml'),
      `[cli]
auto_update = false
[models]
default = "demo"
session_summary = "demo"
[model.demo]
model = "${model}"
base_url = "${url}/v1"
name = "demo"
env_key = "DRAGOMAN_KEY"
context_window = 128000
api_backend = "${api}"
`,
    )
    return {
      command: join(installed, 'node_modules/.bin/grok'),
      args: ['-p', prompt, '-m', 'demo', '--always-approve', '--sandbox', 'off'],
      env: { DRAGOMAN_KEY: 'any' },
    }
  },
})

const goose = (folder, version) => ({
  folder,
  packages: [`@aaif/goose-binary-linux-x64@${version}`],
  start: ({ installed, url, model, prompt }) => ({
    command: join(installed, 'node_modules/@aaif/goose-binary-linux-x64/bin/goose'),
    args: ['run', '--no-session', '-t', prompt],
    env: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: model,
      OPENAI_HOST: url,
      OPENAI_BASE_PATH: 'v1/chat/completions',
      OPENAI_API_KEY: 'any',
      GOOSE_MODE: 'auto',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_TELEMETRY_ENABLED: 'false',
    },
  }),
})

export const agents = {
  cline: clineOf('openai-compatible'),
  'cline (ollama)': clineOf('ollama'),
  continue: continueCli,
  copilot: copilot('openai', 'completions'),
  'copilot (responses)': copilot('openai', 'responses'),
  'copilot (anthropic)': copilot('anthropic', 'completions'),
  kimi: kimi('openai'),
  'kimi (responses)': kimi('openai_responses'),
  'kimi (anthropic)': kimi('anthropic'),
  pi: pi('openai-completions'),
  'pi (responses)': pi('openai-responses'),
  'pi (anthropic)': pi('anthropic-messages'),
  kilo,
  'grok-cli': grokCli,
  'grok-build': grokBuild('chat_completions'),
  'grok-build (responses)': grokBuild('responses'),
  goose: goose('goose', '1.52.0'),
  // The package's version is not the program's. This one moves a block with the time from message to message.
  'goose 1.37': goose('goose-1.37', '0.20.2'),
}
