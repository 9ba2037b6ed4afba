// Partial deep matching of a request body against what a script expects, with the first difference in words.

/** The first difference, as `path: wanted X, got Y`; undefined where `actual` holds all of `wanted`. */
export function findDifference(wanted: unknown, actual: unknown, path = 'body'): string | undefined {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return difference(path, wanted, actual)
    if (actual.length !== wanted.length) {
      return `${path}: wanted ${wanted.length} items, got ${actual.length}`
    }
    return firstOf(wanted.map((item, index) => findDifference(item, actual[index], `${path}[${index}]`)))
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
      return difference(path, wanted, actual)
    }
    const fields = actual as Record<string, unknown>
    return firstOf(
      Object.entries(wanted).map(([key, value]) => findDifference(value, fields[key], `${path}.${key}`)),
    )
  }
  return Object.is(wanted, actual) ? undefined : difference(path, wanted, actual)
}

function firstOf(differences: (string | undefined)[]): string | undefined {
  return differences.find((entry) => entry !== undefined)
}

function difference(path: string, wanted: unknown, actual: unknown): string {
  return `${path}: wanted ${excerpt(wanted)}, got ${excerpt(actual)}`
}

function excerpt(value: unknown): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value)
  return json.length > 200 ? `${json.slice(0, 200)}…` : json
}
