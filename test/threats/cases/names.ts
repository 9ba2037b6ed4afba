// Names that mean something to JavaScript itself.

export const specialNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  '__defineGetter__',
  '__lookupGetter__',
  'toJSON',
  'then',
] as const

/** Places in a request for arbitrary text of the client; `NAME` is replaced, also in keys. */
export const namedPlaces: readonly { name: string; fields: string }[] = [
  { name: 'a field of the body', fields: '"NAME":{"polluted":1}' },
  { name: 'one with what it would change', fields: '"NAME":{"prototype":{"polluted":1},"model":"x"}' },
  { name: 'metadata', fields: '"metadata":{"NAME":"x"}' },
  { name: 'a user', fields: '"user":"NAME"' },
  { name: 'a stop sequence', fields: '"stop":["NAME"]' },
  { name: 'an unknown option', fields: '"extra_body":{"NAME":{"NAME":{"polluted":1}}}' },
]

export const prototypes = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Promise.prototype,
  Map.prototype,
]
