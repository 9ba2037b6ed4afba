// Programs without an editable settings file: the steps to enter the settings by hand.

import { isLoopback } from '../../base/loopback.ts'
import { type Facts, type Plan, tilde } from '../plan.ts'

const keyInWords = ({ key, home }: Facts) => {
  if (!key.needed) return 'any text: this gateway asks for none'
  return key.file === undefined
    ? 'one of "auth.keys" in the configuration'
    : `the text in ${tilde(key.file, home)}`
}

/** The extension in an editor. */
export function clineSteps(facts: Facts): string[] {
  const { contextTokens, outputTokens } = facts.model
  return [
    'That is for the command. In an editor, open Cline\'s settings (the gear), "API Configuration":',
    'API Provider: OpenAI Compatible',
    `Base URL: ${facts.url}/v1`,
    `API Key: ${keyInWords(facts)}`,
    `Model ID: ${facts.model.id}`,
    ...(contextTokens ? [`Under "Model Configuration": Context Window Size ${contextTokens}`] : []),
    ...(contextTokens && outputTokens ? [`… and Max Output Tokens ${outputTokens}`] : []),
  ]
}

/**
 * Copilot Chat's provider "Custom Endpoint" (VS Code 1.122). Its file, chatLanguageModels.json, takes the key as a reference to the
 * editor's secret store, which only the editor can make (github.com/microsoft/vscode/issues/316916,
 * coder.com/docs/ai-coder/ai-gateway/clients/vscode).
 */
export function vscode(facts: Facts): Plan {
  const { url, models } = facts
  const entries = models.slice(0, mostPasted).map(({ id, contextTokens, outputTokens, images }) => {
    const output = outputTokens ?? usualSizes.output
    return {
      ...{ id, name: `Dragoman: ${id}`, url: `${url}/v1/chat/completions`, toolCalling: true },
      vision: images === true,
      maxInputTokens: Math.max(1, (contextTokens ?? usualSizes.context) - output),
      maxOutputTokens: output,
    }
  })
  return {
    files: [],
    steps: [
      'In VS Code (1.122 or newer, with GitHub Copilot Chat), run "Chat: Manage Language Models" from the command palette.',
      'Add models, "Custom Endpoint". Group name: Dragoman. API type: chat-completions.',
      `API key: ${keyInWords(facts)}`,
      `In the file that opens (chatLanguageModels.json), these are the "models" of that group:\n${JSON.stringify(entries, undefined, 2)}`,
      'Choose one of them in the model menu of the chat. If none is there, restart VS Code.',
    ],
  }
}

const usualSizes = { context: 128_000, output: 16_000 }
/** More is too much to paste. */
const mostPasted = 8

export function cursor(facts: Facts): Plan {
  const { protocol, hostname } = new URL(facts.url)
  const open = protocol === 'https:' && !isLoopback(hostname)
  const url = open ? facts.url : 'https://YOUR.PUBLIC.NAME'
  const publish = open
    ? [`"allow": { "hosts": ["${hostname}"] } must stand in the gateway's configuration.`]
    : [
        `A public URL is needed: Cursor's servers make the calls, not the program on your desk, and they cannot reach ${facts.url}. Put a tunnel or an HTTPS proxy in front of it that does not buffer.`,
        'Add that name to the gateway\'s configuration: "allow": { "hosts": ["YOUR.PUBLIC.NAME"] }. Whoever knows the name can reach it now: the key is what protects it.',
      ]
  return {
    files: [],
    steps: [
      ...publish,
      'In Cursor, open Settings, "Models", "API Keys".',
      `Override OpenAI Base URL: ${url}/v1`,
      `OpenAI API Key: ${keyInWords(facts)}`,
      `Add a custom model: ${facts.model.id}. Better an alias that Cursor does not know, as "models": { "house-model": "${facts.model.id}" }: names of its own may go to Cursor itself.`,
      'More in docs/cursor-ide.md.',
    ],
  }
}
