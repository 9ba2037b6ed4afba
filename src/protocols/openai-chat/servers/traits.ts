// Traits: the ways in which an OpenAI-compatible service may differ, and the defaults (`commonGround`) for services without rows.

import type { Words } from '../../../base/words.ts'
import type { StrictForm } from '../../tool-schemas/strict-tools.ts'
import type { SubsetName } from '../../tool-schemas/subset.ts'

/** The field for the reasoning of earlier answers. `as answered`: the field that the server's own answers use. */
export type ReasoningPlace = 'as answered' | 'reasoning_content' | 'reasoning' | 'parts' | 'nowhere'

export interface ServerTraits {
  /** Takes `stream_options`. Without it the service may report no usage. */
  streamOptions: boolean
  /** Refuses message fields that OpenAI does not have: reasoning_content, cache_control. */
  strictMessages: boolean
  reasoning: ReasoningPlace
  /** Which assistant messages must carry their reasoning. */
  reasoningWanted: 'nowhere' | 'with calls' | 'everywhere'
  /** The text to send when that reasoning is unknown. */
  reasoningFiller: string
  /** Refuses reasoning from before the user's last message. */
  lastTurnReasoning: boolean
  /** The first call of each assistant message must carry a `thought_signature`. */
  thoughtSignatures: boolean
  /** Takes a forced tool_choice while the model thinks. */
  forcedWhileThinking: boolean
  /** The `tool_choice` value for "must call a tool". */
  forcedChoice: 'required' | 'any'
  /** The model always thinks. */
  thinks: boolean
  /** Tool call ids must be exactly nine letters and digits. */
  nineCharacterIds: boolean
  /** Refuses two calls with one id, even if the service itself produced them. */
  uniqueCallIds: boolean
  /** Knows the role `developer`, OpenAI's new name for `system`. */
  developerRole: boolean
  /** Where system messages may be. `unknown`: some servers take them only at the start. */
  systemMessages: 'anywhere' | 'unknown' | 'in front'
  /** A user message may not follow a tool message. */
  assistantAfterTool: boolean
  /** Roles whose messages may have a `name`. */
  names: 'any' | 'tool' | 'none'
  /** Takes message fields with the value null. */
  nullFields: boolean
  /** Text-only content must be a string, not a list of parts. */
  plainText: boolean
  /** Takes image URLs; otherwise only base64 data. */
  imageUrls: boolean
  /** Settings that accept only their default value. */
  fixed: readonly string[]
  /** When they do. */
  fixedWhile: 'always' | 'reasoning'
  /** The model reasons if the request states no effort. */
  reasonsByDefault: boolean
  /** The values of `reasoning_effort`. Undefined: not known. Empty: the service has no such field. */
  efforts: readonly string[] | undefined
  /**
   * When the service takes function tools: always; with the effort `none` or unstated; only with a stated `none`; or never. OpenAI
   * supports the other combinations on its Responses API.
   */
  chatTools: 'any' | 'without reasoning' | 'stated none' | 'never'
  /** `thinking.type` may be `disabled`. */
  thinkingOff: boolean
  /** `thinking` may have `keep`. */
  thinkingKeep: boolean
  /** Takes `reasoning_effort` beside `thinking`. */
  effortBesideThinking: boolean
  /** An assistant message at the end, for the model to continue, needs `prefix: true`. */
  markedPrefix: boolean
  /** Request fields that the service refuses. The lists of all matching rows add up. */
  refuses: readonly string[]
  /** Fields to set unless the client sets them. */
  adds: Readonly<Record<string, unknown>>
  /** The most tools of a request. Undefined: not known. */
  mostTools: number | undefined
  /** Keywords that the service has refused in a tool's schema, by name. */
  schemaKeywords: readonly string[]
  /** The subset of JSON Schema that schemas of tools are lowered to. Undefined: they go out as they are. */
  schemas: SubsetName | undefined
  /** How the service takes `strict` of tools. ignored: it has no effect there, or is refused. */
  strictTools: StrictForm | 'ignored' | 'unknown'
  /** `strict` is asked for without a setting: it is cheap there, and needs no rewriting of arguments. */
  strictUnasked: boolean
  /** Refuses tools of which some are strict and some are not. */
  evenStrict: boolean
  /** Can do `response_format` beside tools. */
  formatBesideTools: boolean
  /** Refuses an overlong conversation without an error text. */
  silentOverflow: boolean
  /** The only accepted name of the output limit. Undefined: the name that the client used. */
  limitField: 'max_tokens' | 'max_completion_tokens' | undefined
}

export interface Row {
  /** Tested on the host name, and on the host with its port. */
  host?: RegExp
  model?: Words
  traits: Partial<ServerTraits>
}

export const commonGround: ServerTraits = {
  streamOptions: true,
  strictMessages: false,
  reasoning: 'as answered',
  reasoningWanted: 'nowhere',
  reasoningFiller: ' ',
  lastTurnReasoning: false,
  thoughtSignatures: false,
  forcedWhileThinking: true,
  forcedChoice: 'required',
  thinks: false,
  nineCharacterIds: false,
  uniqueCallIds: false,
  developerRole: false,
  systemMessages: 'unknown',
  assistantAfterTool: false,
  names: 'any',
  nullFields: true,
  plainText: false,
  imageUrls: true,
  fixed: [],
  fixedWhile: 'always',
  reasonsByDefault: true,
  efforts: undefined,
  chatTools: 'any',
  thinkingOff: true,
  thinkingKeep: true,
  effortBesideThinking: true,
  markedPrefix: false,
  refuses: [],
  adds: {},
  mostTools: undefined,
  schemaKeywords: [],
  schemas: undefined,
  strictTools: 'unknown',
  strictUnasked: false,
  evenStrict: false,
  formatBesideTools: true,
  limitField: undefined,
  silentOverflow: false,
}
