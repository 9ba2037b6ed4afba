// Names whose values are secrets: headers, settings, variables, query parameters.

/** Values of such headers are secrets, whatever they look like: authorization, x-api-key, set-cookie, x-amz-security-token, … */
export const isSecretHeader = (name: string) =>
  /(?:auth|authorization|checksum|cookie|key|password|secret|token)$/i.test(name)

/** For configured headers: better one too many, but not `x-portkey-provider`, whose value may be a common word. */
export const mayNameSecret = (name: string) =>
  isSecretHeader(name) || /(?:^|[^a-z])(?:auth|key|token|cookie|secret)/i.test(name)

/** Written as one word, or with a separator. */
const pairs = [
  'api key',
  'auth key',
  'access token',
  'auth token',
  'bearer token',
  'id token',
  'refresh token',
  'security token',
  'session token',
  'access key',
  'secret key',
  'private key',
  'signing key',
  'client secret',
  'app secret',
]
const single = ['authorization', 'password', 'passwd', 'passphrase']

/** A name that ends in one of these holds a secret if its value looks like one. */
export const secretNames: readonly string[] = [
  ...single,
  ...pairs.flatMap((pair) => ['', '_', '-', ' ', '.'].map((separator) => pair.replace(' ', separator))),
]

/** Query parameters only: elsewhere these words are too common. */
export const secretParameters: readonly string[] = [
  'key',
  'token',
  'secret',
  'auth',
  'code',
  'sig',
  'signature',
  'x-amz-signature',
  'x-goog-signature',
]

const ends = new RegExp(`(?:${secretNames.map((name) => name.replaceAll('.', '\\.')).join('|')})$`, 'i')

export const isSecretName = (name: string) => ends.test(name.slice(-40))

/** Not a secret, but a reference to one or filler: `{env:NAME}`, `$NAME`, `<your key>`, NAME_OF_IT, a path, a command that prints one. */
export const isPlaceholder = (value: string) =>
  /^(?:[{$<~/.*[]|!?cat )|^[A-Z][A-Z\d]{0,99}(?:_[A-Z\d]{1,99}){1,20}$|^(?:true|false|null|(?:echo )?any|\d{0,7})$/.test(
    value,
  )
