// Attacks on the inspector: incomplete logins, and text that a careless page would render as markup.

export interface HalfLogin {
  name: string
  /** Of a whole one: the cookie's name and value, and the page's word. */
  headers(whole: { name: string; value: string; page: string; other: string }): Record<string, string>
}

const word = 'x-dragoman-page'

export const halfLogins: readonly HalfLogin[] = [
  { name: 'nothing', headers: () => ({}) },
  { name: 'the cookie alone', headers: ({ name, value }) => ({ cookie: `${name}=${value}` }) },
  { name: "the page's word alone", headers: ({ page }) => ({ [word]: page }) },
  { name: 'the word as cookie', headers: ({ name, page }) => ({ cookie: `${name}=${page}`, [word]: page }) },
  {
    name: 'the cookie as word',
    headers: ({ name, value }) => ({ cookie: `${name}=${value}`, [word]: value }),
  },
  {
    name: "another session's word",
    headers: ({ name, value, other }) => ({ cookie: `${name}=${value}`, [word]: other }),
  },
  { name: 'an empty cookie', headers: ({ name, page }) => ({ cookie: `${name}=`, [word]: page }) },
  {
    name: 'all but the last letter of the cookie',
    headers: ({ name, value, page }) => ({ cookie: `${name}=${value.slice(0, -1)}`, [word]: page }),
  },
  {
    name: 'the cookie twice',
    headers: ({ name, value, page }) => ({ cookie: `${name}=${value}; ${name}=${value}`, [word]: page }),
  },
  {
    name: "another port's cookie",
    headers: ({ value, page }) => ({ cookie: `dragoman_inspector_1=${value}`, [word]: page }),
  },
  {
    name: 'a Bearer of the word',
    headers: ({ page }) => ({ authorization: `Bearer ${page}`, [word]: page }),
  },
  {
    name: 'the words of JavaScript',
    headers: ({ name }) => ({ cookie: `${name}=__proto__`, [word]: 'constructor' }),
  },
]

export interface ForeignAction {
  name: string
  method: 'GET' | 'POST'
  /** ID and CONVERSATION stand for those of another key's turn, WORD for a word in it. */
  path: string
  body?: unknown
  /** Of an answer that gives nothing away. */
  status: number
}

/** What a viewer of one key tries with a turn of another. */
export const foreignActions: readonly ForeignAction[] = [
  { name: 'read it', method: 'GET', path: '/inspector/turns/ID', status: 404 },
  { name: 'save its tape', method: 'GET', path: '/inspector/turns/ID/tape', status: 404 },
  { name: 'compare it', method: 'GET', path: '/inspector/turns/ID/outline', status: 404 },
  {
    name: 'export its conversation',
    method: 'GET',
    path: '/inspector/conversations/CONVERSATION/tape',
    status: 404,
  },
  { name: 'search for its content', method: 'GET', path: '/inspector/search?words=WORD', status: 200 },
  { name: 'search for its id', method: 'GET', path: '/inspector/search?words=ID', status: 200 },
  { name: 'pin it', method: 'POST', path: '/inspector/turns/ID/pin', body: { pinned: true }, status: 404 },
  { name: 'unpin it', method: 'POST', path: '/inspector/turns/ID/pin', body: { pinned: false }, status: 404 },
  { name: 'send it again', method: 'POST', path: '/inspector/turns/ID/resend', body: {}, status: 404 },
  {
    name: 'send it to another model',
    method: 'POST',
    path: '/inspector/turns/ID/resend',
    body: { model: 'openai/gpt-4o' },
    status: 404,
  },
  { name: 'clear it', method: 'POST', path: '/inspector/clear', body: { until: 9e15 }, status: 200 },
]

/** Any script that runs calls `SAY`. */
export const markups = [
  '<script>SAY</script>', '<img src=x onerror=SAY>', '<svg onload=SAY>', '"><img src=x onerror=SAY>', "'-SAY-'", '</pre><script>SAY</script>',
  '<iframe srcdoc="<script>parent.SAY</script>">', '<a href="javascript:SAY">x</a>', 'javascript:SAY', '{{SAY}}', '<!--><img src=x onerror=SAY>',
  '<style>@import "http://evil.example/"</style>', '<base href="http://evil.example/">', '<meta http-equiv=refresh content="0;url=javascript:SAY">',
  '<math><mi xlink:href="javascript:SAY">', '&lt;img src=x onerror=SAY&gt;', '\u003cimg src=x onerror=SAY\u003e', '<form action="http://evil.example/"><button>x',
] as const // biome-ignore format: a list to be read as one
