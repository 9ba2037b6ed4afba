// Checks replayed thinking by its signature: its owner, and whether the prefix is the same as when it was created.
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks

import type { Hash } from 'node:crypto'
import { type AnthropicModel, findModel } from './models.ts'
import { prefixAfter, prefixes } from './prefix.ts'
import { Refusal } from './refusal.ts'
import { type Block, isThinking, type MessagesRequest, toBlocks } from './request.ts'
import { type Binding, blockId, signThinking } from './signature.ts'
import type { ThinkingMemory } from './thinking-memory.ts'

export interface Transformation {
  readonly type: 'thinking_dropped' | 'thinking_mismatch_allowed'
  readonly path: string
  readonly reason: string
}

export interface PreservedThinking {
  readonly transformations: readonly Transformation[]
  /** The signature of a new block after these blocks of the answer. */
  sign(text: string, before: readonly Block[]): string
}

export interface Account {
  /** Digest of the account's key. */
  readonly id: string
  /** Created before the check was enforced for all new accounts. */
  readonly isOlder: boolean
}

interface Question {
  readonly request: MessagesRequest
  readonly model: AnthropicModel
  readonly account: Account
  readonly memory: ThinkingMemory
  /** The request has the beta for the controls. */
  readonly hasControls: boolean
}

export const CONTROLS_BETA = 'thinking-binding-controls-2026-08-01'

export function checkPreservedThinking(question: Question): PreservedThinking {
  const { request, model, account } = question
  const before = prefixes(request)
  const transformations: Transformation[] = []
  let previous: string | undefined
  let isDropping = false
  for (const { block, path, prefix } of thoughtsOf(request, before)) {
    const proof = question.memory.proofOf(block)
    if (proof === undefined) throw new Refusal(`${path}: ${invalidProof(block)}`)
    const unreadable = whyUnreadable(proof, model, account)
    if (unreadable !== undefined) {
      transformations.push({ type: 'thinking_dropped', path, reason: unreadable })
      continue
    }
    const isBroken = proof.prefix !== undefined && (proof.prefix !== prefix || !follows(proof, previous))
    if (isDropping || (isBroken && model.prefixCheck !== 'no accounts')) {
      isDropping ||= isDropped(question, block, path)
      const type = isDropping ? 'thinking_dropped' : 'thinking_mismatch_allowed'
      transformations.push({ type, path, reason: 'prefix_binding_mismatch' })
      if (isDropping) continue
    }
    previous = blockId(String(block.signature ?? block.data))
  }
  return {
    transformations,
    sign(text, blocks) {
      const prefix = prefixAfter(before.at(-1) as Hash, blocks)
      const own = blocks.findLast(isThinking)
      const last = own ? blockId(String(own.signature ?? own.data)) : previous
      return signThinking(text, {
        model: model.id,
        account: account.id,
        prefix,
        ...(last !== undefined && { previous: last }),
      })
    },
  }
}

function* thoughtsOf({ messages }: MessagesRequest, before: readonly Hash[]) {
  for (const [index, { content }] of messages.entries()) {
    const blocks = toBlocks(content)
    for (const [position, block] of blocks.entries()) {
      if (!isThinking(block)) continue
      const prefix = prefixAfter(before[index] as Hash, blocks.slice(0, position))
      yield { block, path: `messages.${index}.content.${position}`, prefix }
    }
  }
}

/** If all thinking before a block was removed, its position cannot be checked. */
const follows = (proof: Binding, previous: string | undefined) =>
  previous === undefined || proof.previous === previous

const invalidProof = ({ type }: Block) =>
  `Invalid \`${type === 'thinking' ? 'signature' : 'data'}\` in \`${type}\` block`

/** True: this block and all later ones are dropped. Throws if the mismatch is an error. */
function isDropped({ request, model, account, hasControls }: Question, block: Block, path: string): boolean {
  const behavior = request.thinking?.block_binding?.prefix_mismatch_behavior
  if (behavior === 'drop_block') return true
  const isEnforced = behavior === 'error' || model.prefixCheck === 'all accounts' || !account.isOlder
  if (!isEnforced) return false
  const hint = hasControls
    ? ''
    : ` That setting requires the \`${CONTROLS_BETA}\` value in the \`anthropic-beta\` header.`
  throw new Refusal(
    `${path}: ${invalidProof(block)}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${hint}`,
  )
}

function whyUnreadable(proof: Binding, model: AnthropicModel, account: Account): string | undefined {
  if (!canRead(model.id, proof.model)) return 'model_binding_mismatch'
  const isOther = proof.account !== undefined && proof.account !== account.id
  return isOther && findModel(proof.model).accountBound ? 'organization_binding_mismatch' : undefined
}

/** The models whose blocks a model reads besides its own. The last row is for all older models. */
const READS: readonly (readonly [RegExp, RegExp])[] = [
  [/-(fable|mythos)-5-2/, /./],
  [/-(fable|mythos)-5-1/, /-(fable|mythos)-5(-1)?$|-opus-|-sonnet-|-haiku-4-5/],
  [/-opus-5-5/, /-opus-|-sonnet-|-haiku-/],
  [/-sonnet-5-5/, /-sonnet-[45](-[0-9])?$|-opus-4|-haiku-/],
  [/-haiku-5-5/, /-sonnet-(4|5$)|-opus-4|-haiku-4/],
  [/^claude-(opus|sonnet|haiku)-/, /-(opus|sonnet|haiku)-(4|5$)/],
]

function canRead(reader: string, author: string): boolean {
  const plain = (name: string) => name.replace(/-(\d{8}|latest)$/, '')
  if (plain(reader) === plain(author)) return true
  return READS.find(([name]) => name.test(reader))?.[1].test(plain(author)) ?? false
}
