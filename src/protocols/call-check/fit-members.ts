// The members of an object that does not fit its schema: each is fitted, a null for an optional member that allows none is left out,
// and a member in another spelling gets the name that is missing.

import type { Fields } from '../../base/json.ts'
import { pathTo } from '../../base/json-schema/check.ts'
import { memberSchema } from '../../base/json-schema/reference.ts'
import type { Fit } from './fit-arguments.ts'
import { type MemberRules, memberRules } from './flat-schema.ts'
import { keepDigits } from './keep-digits.ts'
import { looseName } from './loose-name.ts'

export function fitMembers(fit: Fit, value: Fields, schema: Fields, path: string, depth: number): Fields {
  const rules = memberRules(schema, fit.schema)
  fit.spend(rules.declared.size + rules.required.size)
  const names = newNames(value, rules)
  const namesBefore = new Map<string, string>()
  const fitted: [string, unknown][] = []
  let isChanged = false
  for (const [before, member] of Object.entries(value)) {
    const name = names.get(before) ?? before
    const place = pathTo(path, before)
    if (isNullForAbsent(fit, name, member, schema, rules)) {
      fit.changes.push(`${place}: null became absent`)
      isChanged = true
      continue
    }
    if (name !== before) {
      fit.changes.push(`${place}: was read as ${JSON.stringify(name)}`)
      namesBefore.set(name, before)
    }
    const one = fit.member(name, member, schema, path, depth)
    isChanged ||= one !== member || name !== before
    fitted.push([name, one])
  }
  if (!isChanged) return value
  const object = keepDigits(Object.fromEntries(fitted), value, (name) => namesBefore.get(name) ?? name)
  if (namesBefore.size > 0) fit.onRenamed(object, namesBefore)
  return object
}

/** Null for a declared, optional member that does not allow null means that the member is absent. */
function isNullForAbsent(
  fit: Fit,
  name: string,
  value: unknown,
  schema: Fields,
  rules: MemberRules,
): boolean {
  if (value !== null || !rules.declared.has(name) || rules.required.has(name)) return false
  return !fit.conforms(null, memberSchema(schema, name, fit.schema))
}

/**
 * New names of members that the schema does not know. A name is taken only if it is required or if no other members are allowed,
 * and only if it is the one declared name, and the one unknown member, with that spelling.
 */
function newNames(
  value: Fields,
  { declared, required, isClosed, hasPatterns }: MemberRules,
): Map<string, string> {
  const names = new Map<string, string>()
  if (hasPatterns || declared.size > mostNames) return names
  const unknown = Object.keys(value).filter((name) => !declared.has(name))
  if (unknown.length === 0 || unknown.length > mostNames) return names
  const bySpelling = groups(declared)
  for (const [spelling, [only, ...others]] of groups(unknown)) {
    const [name, ...rivals] = bySpelling.get(spelling) ?? []
    if (only === undefined || name === undefined || others.length > 0 || rivals.length > 0) continue
    if (!Object.hasOwn(value, name) && (isClosed || required.has(name))) names.set(only, name)
  }
  return names
}

/** No tool has more parameters. */
const mostNames = 1_000

function groups(names: Iterable<string>): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const name of names) {
    const spelling = looseName(name)
    const same = found.get(spelling)
    if (same) same.push(name)
    else found.set(spelling, [name])
  }
  return found
}
