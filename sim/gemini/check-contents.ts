// The rules about contents: roles, the order of calls and results, and the signatures of the current turn.

import type { GeminiModel } from './models.ts'
import { Refusal } from './refusal.ts'
import type { Content, Part } from './request.ts'
import { FILLERS, signedModel } from './signature.ts'

const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] // biome-ignore format: a list to be read as one

export function checkContents(contents: readonly Content[] | undefined, model: GeminiModel): void {
  if (contents === undefined || contents.length === 0)
    throw new Refusal('* GenerateContentRequest.contents: contents is not specified\n')
  for (const [at, content] of contents.entries()) {
    checkRole(content)
    checkParts(content, at)
  }
  if (contents[0]?.role === 'model')
    throw new Refusal('Please ensure that multiturn requests alternate between user and model.')
  const turns = merged(contents)
  checkCalls(turns)
  checkSignatures(turns, model)
}

/** Neighbours of one role are one turn: Google's own SDK sends each chunk of an answer as a content. */
function merged(contents: readonly Content[]): Content[] {
  const turns: { role: string; parts: Part[] }[] = []
  for (const { role = 'user', parts = [] } of contents) {
    const last = turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else turns.push({ role, parts: [...parts] })
  }
  return turns
}

function checkRole({ role = 'user' }: Content): void {
  if (role !== 'user' && role !== 'model') throw new Refusal('Please use a valid role: user, model.')
}

function checkParts({ role, parts = [] }: Content, at: number): void {
  if (parts.length === 0)
    throw new Refusal(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`)
  for (const [place, part] of parts.entries()) {
    const path = `GenerateContentRequest.contents[${at}].parts[${place}]`
    const data = DATA.filter((name) => part[name] !== undefined)
    if (data.length > 1) throw new Refusal(`* ${path}.data: oneof field 'data' is already set.\n`)
    if (data.length === 0 && part.thoughtSignature === undefined)
      throw new Refusal(`* ${path}.data: required oneof field 'data' must have one initialized field\n`)
    checkFunctionPart(part, role ?? 'user', path)
  }
}

/** The texts of these refusals are not the service's. */
function checkFunctionPart(
  { functionCall: call, functionResponse: response }: Part,
  role: string,
  path: string,
) {
  if (call && role !== 'model') throw new Refusal(`* ${path}.function_call: is only for the role model\n`)
  if (response && role !== 'user')
    throw new Refusal(`* ${path}.function_response: is only for the role user\n`)
  if (call && !call.name) throw new Refusal(`* ${path}.function_call.name: Name cannot be empty.\n`)
  if (response && !response.name)
    throw new Refusal(`* ${path}.function_response.name: Name cannot be empty.\n`)
  if (response && response.response === undefined)
    throw new Refusal(`* ${path}.function_response.response: is required\n`)
}

const callsIn = ({ parts = [] }: Content) => parts.flatMap(({ functionCall }) => functionCall ?? [])
const responsesIn = ({ parts = [] }: Content) =>
  parts.flatMap(({ functionResponse }) => functionResponse ?? [])

function checkCalls(contents: readonly Content[]): void {
  for (const [at, content] of contents.entries()) {
    const calls = callsIn(content)
    const before = contents[at - 1]
    if (calls.length > 0 && (before === undefined || before.role === 'model'))
      throw new Refusal(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    const next = contents[at + 1]
    const results = next ? responsesIn(next) : []
    if (next && results.length !== calls.length)
      throw new Refusal(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    for (const [place, { id, name }] of results.entries()) {
      const call = calls.find((one) => id !== undefined && one.id === id) ?? calls[place]
      // The service's own text is not known.
      if (call?.name !== name || (id !== undefined && call?.id !== id))
        throw new Refusal(`The function response "${name}" (${id}) answers no function call of its turn.`)
    }
  }
  if (responsesIn(contents[0] ?? {}).length > 0)
    throw new Refusal(
      'Please ensure that function response turn comes immediately after a function call turn.',
    )
}

/** The current turn begins with the last content of the user that is no result. */
const turnStart = (contents: readonly Content[]) =>
  contents.findLastIndex(
    ({ role, parts = [] }) =>
      role !== 'model' && parts.some(({ functionResponse }) => functionResponse === undefined),
  )

function checkSignatures(contents: readonly Content[], model: GeminiModel): void {
  const start = turnStart(contents)
  let position = 0
  for (const [at, { role, parts = [] }] of contents.entries()) {
    if (role !== 'model') continue
    for (const { thoughtSignature: signature } of parts) checkSignature(signature, model)
    const first = parts.find(({ functionCall }) => functionCall !== undefined)
    if (first) position++
    if (at < start || model.generation < 3 || !first || first.thoughtSignature !== undefined) continue
    throw new Refusal(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall?.name}\` , position ${position}.`,
    )
  }
}

function checkSignature(signature: string | undefined, { id }: GeminiModel): void {
  if (signature === undefined || FILLERS.includes(signature)) return
  const signed = signedModel(signature)
  if (signed === undefined) throw new Refusal('Corrupted thought signature.')
  if (signed !== id) throw new Refusal('Invalid thought signature.')
}
