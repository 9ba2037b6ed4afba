// An object with some members replaced: the one way to extend a backend.

/**
 * Every member of `inner` that `overrides` does not name reaches `inner`, called on `inner` itself: methods of a class keep their
 * `this`, and a member that is added to the interface later is forwarded without a change here.
 */
export function withOverrides<Inner extends object, Overrides extends object>(
  inner: Inner,
  overrides: Overrides,
): Omit<Inner, keyof Overrides> & Overrides {
  const extended = { ...overrides } as Record<string, unknown>
  for (const name of memberNames(inner)) {
    if (name in overrides) continue
    Object.defineProperty(extended, name, { enumerable: true, ...forwarder(inner as Members, name) })
  }
  return extended as Omit<Inner, keyof Overrides> & Overrides
}

type Members = Record<string, unknown>

function forwarder(inner: Members, name: string): PropertyDescriptor {
  if (typeof inner[name] !== 'function') return { get: () => inner[name] }
  // Looked up with each call: a member may be replaced after the object was extended.
  return { value: (...args: unknown[]) => (inner[name] as (...args: unknown[]) => unknown)(...args) }
}

function memberNames(inner: object): Set<string> {
  const names = new Set<string>()
  for (
    let from: object | null = inner;
    from !== null && from !== Object.prototype;
    from = Object.getPrototypeOf(from)
  )
    for (const name of Object.getOwnPropertyNames(from)) names.add(name)
  names.delete('constructor')
  return names
}
