// A set of tools by a digest: what a service has refused is remembered for it.

import { createHash } from 'node:crypto'
import { writeAll } from '../../base/exact-json.ts'
import type { NamedSchema } from './strict-tools.ts'

export function toolsetDigest(tools: readonly NamedSchema[]): string {
  const hash = createHash('sha256')
  for (const { name, schema } of tools) hash.update(`${JSON.stringify(name)} ${writeAll(schema)}\n`)
  return hash.digest('base64url')
}
