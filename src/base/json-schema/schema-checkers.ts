// The checkers of tools' schemas: one for each schema object, kept as long as that is. Requests bring equal schemas again and again, as
// new objects. To recognise them by their text would take as long as to compile what a call uses (docs/calls.md), so it is not done.

import { SchemaChecker } from './check.ts'

/** A schema must not be changed once it has a checker. */
export function createSchemaCheckers(): (schema: object) => SchemaChecker {
  const checkers = new WeakMap<object, SchemaChecker>()
  return (schema) => {
    const known = checkers.get(schema)
    if (known !== undefined) return known
    const checker = new SchemaChecker(schema)
    checkers.set(schema, checker)
    return checker
  }
}

/** The same checker for the same schema object, wherever it is asked for. */
export const schemaChecker = createSchemaCheckers()
