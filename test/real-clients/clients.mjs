// The real clients: what is installed, and how each is told where the gateway is. A client gets a home and a workspace of its
// own, a prompt, a model, and the gateway's URL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agents } from './agents.mjs'

const here = dirname(fileURLToPath(import.meta.url))

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
}

const opencode = (provider) => ({
  folder: 'opencode',
  // Whether the client shows a command's exit code to the model. Without the line it does.
  tellsExitCodes: false,
  packages: ['opencode-ai@1.18.33'],
  start({ installed, home, workspace, url, model, prompt }) {
    write(join(workspace, 'opencode.json'), {
      autoupdate: false,
      share: 'disabled',
      model: `dragoman/${model}`,
      small_model: `dragoman/${model}`,
      permission: { '*': 'allow' },
      enabled_providers: ['dragoman'],
      provider: {
        dragoman: {
          npm: `@ai-sdk/${provider}`,
          options: { baseURL: `${url}/v1`, apiKey: 'any' },
          models: { [model]: { tool_call: true, limit: { context: 128_000, output: 32_000 } } },
        },
      },
    })
    // Without this it installs its plugin package first, and waits for a network that is not there.
    const config = join(home, '.config', 'opencode')
    mkdirSync(join(config, 'node_modules'), { recursive: true })
    const dependencies = { '@opencode-ai/plugin': '*' }
    write(join(config, 'package.json'), { dependencies })
    write(join(config, 'package-lock.json'), { lockfileVersion: 3, packages: { '': { dependencies } } })
    return { command: join(installed, 'node_modules/.bin/opencode'), args: ['run', prompt], env: quiet }
  },
})

const claudeCode = {
  folder: 'claude-latest',
  packages: ['@anthropic-ai/claude-code@2.1.325'],
  newerNode: true,
  start: ({ installed, home, url, model, prompt }) => ({
    command: join(installed, 'node_modules/.bin/claude'),
    args: ['-p', prompt, '--allowedTools', 'Read', 'Write', 'Edit', 'Bash', 'Grep', 'Glob'],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'any',
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
}

const codex = {
  folder: 'codex',
  packages: ['@openai/codex@0.166.0'],
  start({ installed, home, url, model, prompt }) {
    const folder = join(home, '.codex')
    write(
      join(folder, 'config.toml'),
      `model = "${model}"
model_provider = "dragoman"
check_for_update_on_startup = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
[model_providers.dragoman]
name = "dragoman"
base_url = "${url}/v1"
env_key = "DRAGOMAN_KEY"
wire_api = "responses"
supports_websockets = false
`,
    )
    const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
    return {
      command: join(installed, 'node_modules/.bin/codex'),
      args: ['exec', ...flags, prompt],
      env: { CODEX_HOME: folder, DRAGOMAN_KEY: 'any' },
    }
  },
}

/** With the catalogue of models that `dragoman setup codex` writes: Codex chooses its tools by it. */
const codexAfterSetup = {
  ...codex,
  async start(given) {
    const { home, url, model, cli } = given
    const folder = join(home, '.codex')
    write(
      join(folder, 'config.toml'),
      'check_for_update_on_startup = false\n[features]\nplugins = false\napps = false\n[analytics]\nenabled = false\n',
    )
    const args = [cli, 'setup', 'codex', '--url', url, '--model', model, '--yes']
    const env = { ...process.env, HOME: home, CODEX_HOME: folder }
    const [status] = await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit')
    if (status !== 0) throw new Error(`dragoman setup codex ended with ${status}`)
    const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
    return {
      command: join(given.installed, 'node_modules/.bin/codex'),
      args: ['exec', ...flags, given.prompt],
      env: { CODEX_HOME: folder },
    }
  },
}

/** All its tools in every request. */
const claudeCodeWithAll = {
  ...claudeCode,
  start(given) {
    const started = claudeCode.start(given)
    return { ...started, env: { ...started.env, ENABLE_TOOL_SEARCH: 'false' } }
  },
}

const qwenCode = {
  folder: 'qwen-latest',
  packages: ['@qwen-code/qwen-code@0.24.4'],
  newerNode: true,
  start({ installed, newerNode, home, url, model, prompt }) {
    write(join(home, '.qwen', 'settings.json'), {
      $version: 3,
      general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: 'openai' } },
    })
    return {
      command: newerNode,
      args: [join(installed, 'node_modules/.bin/qwen'), ...['--auth-type', 'openai', '--yolo', '-p', prompt]],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'any', OPENAI_MODEL: model },
    }
  },
}

const geminiCli = {
  folder: 'gemini',
  packages: ['@google/gemini-cli@0.61.0'],
  start({ installed, home, url, model, prompt }) {
    write(join(home, '.gemini', 'settings.json'), {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: 'gemini-api-key' } },
    })
    return {
      command: process.execPath,
      args: [
        join(installed, 'node_modules/.bin/gemini'),
        '-m',
        model,
        '--approval-mode',
        'yolo',
        '-p',
        prompt,
      ],
      env: {
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_API_KEY: 'any',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        GEMINI_CLI_CUSTOM_HEADERS: `x-dragoman-helper-model: ${model}`,
      },
    }
  },
}

/** A library: a small agent of ours stands around it. */
const library = (folder, agent, packages, more = {}) => ({
  folder,
  packages,
  ...more,
  start: ({ installed, newerNode, url, model, prompt }) => ({
    command: more.newerNode ? newerNode : process.execPath,
    args: [join(here, agent), installed, `${url}/v1`, model, prompt],
    env: {},
  }),
})

const chat = 'ai-sdk-agent.mjs'
const openai = 'openai-sdk-agent.mjs'

export const clients = {
  opencode: opencode('openai-compatible'),
  'opencode (openai)': opencode('openai'),
  'opencode (anthropic)': opencode('anthropic'),
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  'qwen-code': qwenCode,
  ...agents,
  'ai-sdk 5': library('aisdk5', chat, ['ai@5', '@ai-sdk/openai-compatible@1', 'zod@3']),
  'ai-sdk 6': library('aisdk6', chat, ['ai@6', '@ai-sdk/openai-compatible@2', 'zod']),
  'ai-sdk 7': library('aisdk7', chat, ['ai@7', '@ai-sdk/openai-compatible@3', 'zod'], { newerNode: true }),
  'openai 6': library('openai', openai, ['openai@6']),
  'openai 7': library('openai7', openai, ['openai@7'], { newerNode: true }),
}

/** Other settings of the same programs, in which they offer other tools. */
const variants = {
  'claude-code (no tool search)': claudeCodeWithAll,
  'codex (after setup)': codexAfterSetup,
}

export const clientsAndVariants = { ...clients, ...variants }
