// What an OpenAI-compatible service may refuse or insist on, beyond the common ground.

import type { Words } from '../../../base/words.ts'

/** Where the reasoning of earlier answers goes back. As answered: into the field that the server's own answers have. */
export type ReasoningPlace = 'as answered' | 'reasoning_content' | 'reasoning' | 'parts' | 'nowhere'

export interface ServerTraits {
  /** Takes `stream_options`; without it there may be no usage. */
  streamOptions: boolean
  /** Refuses fields in messages that are not OpenAI's own: reasoning_content, cache_control. */
  strictMessages: boolean
  reasoning: ReasoningPlace
  /** Assistant messages that must carry their reasoning, and the text to send where it is not known. */
  reasoningWanted: 'nowhere' | 'with calls' | 'everywhere'
  reasoningFiller: string
  /** Reasoning from before the user's last message is refused. */
  lastTurnReasoning: boolean
  /** The first call of each assistant message must carry a `thought_signature`. */
  thoughtSignatures: boolean
  /** A forced tool_choice is refused while the model thinks. */
  forcedWhileThinking: boolean
  /** The word for a call that must be made. */
  forcedChoice: 'required' | 'any'
  /** The model always thinks. */
  thinks: boolean
  /** Tool call ids must be exactly nine letters and digits. */
  nineCharacterIds: boolean
  /** Refuses two calls with one id, even where it gave them that id itself. */
  uniqueCallIds: boolean
  /** Knows the role `developer`, OpenAI's new name for `system`. */
  developerRole: boolean
  /** Where system messages may stand; `unknown`: single servers refuse them anywhere but in front. */
  systemMessages: 'anywhere' | 'unknown' | 'in front'
  /** A user message may not follow a tool message. */
  assistantAfterTool: boolean
  /** Roles whose messages may have a `name`. */
  names: 'any' | 'tool' | 'none'
  /** Takes fields of messages that are null. */
  nullFields: boolean
  /** Content that is text alone must be a string, not a list of parts. */
  plainText: boolean
  /** Takes images by their address; else as data. */
  imageUrls: boolean
  /** Settings of which only the default is taken, and when. */
  fixed: readonly string[]
  fixedWhile: 'always' | 'reasoning'
  /** The model reasons where no effort is stated. */
  reasonsByDefault: boolean
  /** The values of `reasoning_effort`; undefined: not known; none: there is no such field. */
  efforts: readonly string[] | undefined
  /**
   * When function tools are taken: always, with the effort `none` or none stated, with a stated `none` alone, or never. OpenAI has
   * the rest on its Responses API.
   */
  chatTools: 'any' | 'without reasoning' | 'stated none' | 'never'
  /** `thinking.type` may be `disabled`. */
  thinkingOff: boolean
  /** `thinking` may have `keep`. */
  thinkingKeep: boolean
  /** Takes `reasoning_effort` beside `thinking`. */
  effortBesideThinking: boolean
  /** An answer that is to be gone on with must say so by `prefix`. */
  markedPrefix: boolean
  /** Fields of a request that are refused. All rows count. */
  refuses: readonly string[]
  /** Fields that are set where the client does not say otherwise. */
  adds: Readonly<Record<string, unknown>>
  /** Keywords that a tool's schema must not have. */
  schemaKeywords: readonly string[]
  /** Refuses a conversation that is too long without a word. */
  silentOverflow: boolean
  /** The only name of the output limit that is taken; undefined: whichever the client used. */
  limitField: 'max_tokens' | 'max_completion_tokens' | undefined
}

export interface Row {
  /** With the port, where it is not the scheme's own. */
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
  schemaKeywords: [],
  limitField: undefined,
  silentOverflow: false,
}
