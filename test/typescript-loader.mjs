// Makes Node import TypeScript, so that tests run as modules of Node and not of Vite: that takes half the time, and no cache. Node
// itself can from 22.18 on.

import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { transformSync } from 'rolldown/utils'

// Node runs hooks in a thread of their own, which loads this file again.
if (isMainThread) register(import.meta.url)

const options = { target: 'node20', sourcemap: true, jsx: { importSource: 'preact' } }

/** A hook of Node's module loader. */
export async function load(url, context, nextLoad) {
  const [address] = url.split('?')
  if (!/\.tsx?$/.test(address)) return nextLoad(url, context)
  const file = fileURLToPath(address)
  const { code, map, errors } = transformSync(file, await readFile(file, 'utf8'), options)
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
  const mapped = Buffer.from(JSON.stringify(map)).toString('base64')
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${mapped}`
  return { format: 'module', source, shortCircuit: true }
}
