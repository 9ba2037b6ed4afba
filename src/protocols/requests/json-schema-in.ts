// The schema of a structured answer, in the form of both OpenAI dialects.

import type { ResponseFormat } from '../../core/request.ts'
import { boolean, defined, type Fields, object, optional, string } from './decode.ts'

export function readJsonSchema(fields: Fields, path: string): ResponseFormat {
  const strict = optional(fields.strict, `${path}.strict`, boolean)
  const description = optional(fields.description, `${path}.description`, string)
  return {
    type: 'json-schema',
    name: string(fields.name, `${path}.name`),
    schema: optional(fields.schema, `${path}.schema`, object) ?? {},
    ...defined({ strict, description }),
  }
}
