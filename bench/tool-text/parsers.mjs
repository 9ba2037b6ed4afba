// The two parsers behind one function: pieces of text in, calls and text out; undefined where it took too long.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/prepare.mjs'
import { tools } from './texts.mjs'

export const loadParser = (name, { format }, peerFolder) =>
  name === 'ours' ? loadOurs(format) : loadPeer(format, peerFolder)

async function loadOurs(format) {
  const file = join(root, 'build/src/protocols/tool-text/parse.js')
  const { ToolTextParser } = await import(pathToFileURL(file).href)
  const markup = { format, callTag: 'tool_call', resultTag: 'tool_response' }
  return (pieces) => {
    const parser = new ToolTextParser({ markup, tools, salvage: true })
    const calls = []
    let text = ''
    const take = (found) => {
      for (const piece of found) {
        if (piece.type === 'call') calls.push(piece)
        else text += piece.type === 'text' ? piece.text : `[${piece.type}]`
      }
    }
    for (const piece of pieces) take(parser.push(piece))
    take(parser.end(false))
    return { calls, text }
  }
}

/** Its parsers are transform streams of the AI SDK's parts; there is no other way to feed them piece by piece. */
async function loadPeer(format, folder) {
  const file = createRequire(join(folder, 'package.json')).resolve('@ai-sdk-tool/parser')
  const { hermesProtocol, qwen3CoderProtocol } = await import(pathToFileURL(file).href)
  const theirTools = tools.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: schema,
  }))
  return async (pieces, isOverdue) => {
    const protocol = format === 'json' ? hermesProtocol() : qwen3CoderProtocol()
    const calls = []
    let text = ''
    let isGivenUp = false
    const source = streamOf(pieces, () => {
      isGivenUp ||= isOverdue()
      return isGivenUp
    })
    const parts = source.pipeThrough(protocol.createStreamParser({ tools: theirTools }))
    for await (const part of parts) {
      if (part.type === 'tool-call') calls.push({ name: part.toolName, input: part.input })
      else if (part.type === 'text-delta') text += part.delta
    }
    return isGivenUp ? undefined : { calls, text }
  }
}

/** Asked this often only: the question costs time as well. */
const piecesPerLook = 64

function streamOf(pieces, isGivenUp) {
  let at = 0
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'text-start', id: '0' })
    },
    pull(controller) {
      if (at % piecesPerLook === 0 && isGivenUp()) controller.close()
      else if (at < pieces.length) controller.enqueue({ type: 'text-delta', id: '0', delta: pieces[at++] })
      else {
        controller.enqueue({ type: 'text-end', id: '0' })
        controller.enqueue({ type: 'finish', finishReason: 'stop', usage: {} })
        controller.close()
      }
    },
  })
}
