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
