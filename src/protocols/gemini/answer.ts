// A turn as one GenerateContentResponse.

import { replaceMember } from '../../base/json-text.ts'
import type { CollectedPart, CollectedTurn } from '../../core/collect.ts'
import {
  callPart,
  closing,
  filteredText,
  finishReason,
  opening,
  signaturePart,
  textPart,
  thoughtPart,
  usageMetadata,
} from './chunk.ts'
import { dialect } from './dialect.ts'
import { SignatureWriter } from './signature-writer.ts'

export interface AnswerOptions {
  id: string
  /** The model as the client named it. */
  model: string
  showsThoughts: boolean
}

export function geminiAnswer(turn: CollectedTurn, options: AnswerOptions): string {
  const { parts, reason, usage, original } = turn
  if (original?.lane === dialect)
    return replaceMember(original.text, ['modelVersion'], JSON.stringify(options.model))
  const refused = parts.some((part) => part.type === 'text' && part.refusal)
  const signatures = new SignatureWriter(options.model)
  const written = parts.flatMap((part) => partText(part, options, signatures))
  const last = signatures.take()
  if (last !== undefined) written.push(signaturePart(last))
  const isEmpty = !parts.some(
    (part) => part.type === 'tool-call' || (part.type === 'text' && part.text !== ''),
  )
  if (isEmpty) written.push(textPart(reason === 'content-filter' ? filteredText : ''))
  const counted = `,"usageMetadata":${JSON.stringify(usageMetadata(usage))}`
  return `${opening}${written.join(',')}${closing(options, finishReason(reason, refused), counted)}`
}

function partText(
  part: CollectedPart,
  { showsThoughts }: AnswerOptions,
  signatures: SignatureWriter,
): string[] {
  switch (part.type) {
    case 'text':
      signatures.onOutput()
      return part.text === '' ? [] : [textPart(part.text)]
    case 'tool-call': {
      const signature = signatures.take()
      signatures.onOutput()
      return [callPart(part, signature)]
    }
    case 'reasoning':
      signatures.onThought(part)
      return showsThoughts && part.text !== '' ? [thoughtPart(part.text)] : []
  }
}
