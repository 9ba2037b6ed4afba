// Forbidden addresses: notations of metadata services' addresses, and ways to direct a request there.

/** Hosts as written in a URL. */
export const metadataHosts = [
  '169.254.169.254', '169.254.169.254.', '169.254.170.2', '169.254.0.1', '2852039166', '0xa9fea9fe', '0xA9FEA9FE', '025177524776',
  '0251.0376.0251.0376', '0xa9.0xfe.0xa9.0xfe', '169.254.43518', '169.16689662', '0xa9.254.0251.254', '%31%36%39.254.169.254',
  '\uff11\uff16\uff19.254.169.254', '\u2460\u2465\u2468.254.169.254', '169\u3002254\u3002169\u3002254', '100.100.100.200', '168.63.129.16', '192.0.0.192',
  '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::FFFF:A9FE:A9FE]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::a9fe:a9fe]', '[::169.254.169.254]',
  '[::ffff:0:169.254.169.254]', '[64:ff9b::169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[2002:a9fe:a9fe::1]',
  '[2001:0:1:2:3:4:5601:5601]', '[2001:db8::5efe:a9fe:a9fe]', '[2001:db8::200:5efe:169.254.169.254]', '[fe80::1]', '[fe80::a9fe:a9fe]', '[febf::1]',
  '[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '[::ffff:100.100.100.200]', '[64:ff9b::100.100.100.200]',
] as const // biome-ignore format: a list to be read as one

/** As a resolver may give them. */
export const metadataAnswers = [
  '169.254.169.254',
  '169.254.170.23',
  '100.100.100.200',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
]

/** Addresses of this machine and its networks, which the configuration may name and a model may not. */
export const fetchedInside = [
  '127.0.0.1', '127.1', '0.0.0.0', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '[::1]', '[::]', '[fd00::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]',
] as const // biome-ignore format: a list to be read as one

/** Addresses that only resemble them. */
export const harmlessHosts = [
  '127.0.0.1', '10.0.0.1', '192.168.1.1', '172.16.0.1', '169.253.255.255', '169.255.0.1', '100.100.100.201', '[::1]', '[fd00::1]', '[fd12:3456::1]',
  '[2606:4700::1111]', '[::ffff:10.0.0.1]', '[64:ff9b::1.1.1.1]', '[2002:101:101::]', '[2001:4860:4860::8888]', 'example.com', 'a9fe.example',
] as const // biome-ignore format: a list to be read as one

/** `TRAP` is a server that nothing may reach; each would lead there in a gateway that believes it. */
export const steeringHeaders: Readonly<Record<string, string>> = {
  'x-portkey-custom-host': 'TRAP',
  'x-portkey-config': '{"custom_host":"TRAP"}',
  'x-base-url': 'TRAP',
  'x-api-base': 'TRAP',
  'x-target-url': 'TRAP',
  'x-upstream': 'TRAP',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-server': 'evil.example',
  'x-original-url': 'TRAP/v1/chat/completions',
  'x-rewrite-url': 'TRAP',
  'x-http-method-override': 'DELETE',
  forwarded: 'host=evil.example',
  'helicone-target-url': 'TRAP',
  'openai-base-url': 'TRAP',
  'anthropic-base-url': 'TRAP',
  'x-proxy': 'TRAP',
  'x-dragoman-workspace': 'TRAP/',
  'x-dragoman-backend': 'TRAP',
  referer: 'TRAP',
}

export const steeringFields: readonly Record<string, unknown>[] = [
  { base_url: 'TRAP' },
  { baseUrl: 'TRAP' },
  { baseURL: 'TRAP' },
  { api_base: 'TRAP' },
  { url: 'TRAP', endpoint: 'TRAP', host: 'TRAP' },
  { custom_llm_provider: 'openai', api_key: 'x', api_base: 'TRAP' },
  { extra_headers: { host: 'evil.example' }, headers: { host: 'evil.example' } },
  { extra_body: { base_url: 'TRAP' }, extra_query: { url: 'TRAP' } },
  { connect: { proxy: 'TRAP' }, proxy: 'TRAP' },
  { metadata: { base_url: 'TRAP', callback_url: 'TRAP' } },
  { user: 'TRAP', safety_identifier: 'TRAP' },
  { fallbacks: [{ model: 'x', api_base: 'TRAP' }] },
  { mcp_servers: [{ type: 'url', url: 'TRAP', name: 'x' }] },
  { mock_response: 'x', deployment: 'TRAP' },
]

export const steeringModels = [
  'openai/TRAP/v1', 'openai/@TRAP', 'openai/../../v1/models', 'openai/..%2f..%2f', 'openai/x?y=z#f', 'openai/\\\\evil.example\\x', 'openai//evil.example',
  'TRAP', 'TRAP/gpt-4o', '//evil.example/x', 'openai@evil.example/x', 'openai:80@evil.example/x', 'openai\r\nHost: evil.example/x', 'openai%2Fx', '../openai/x',
] as const // biome-ignore format: a list to be read as one

/** Names of models for services that take the model in their path. */
export const steeringNames = [
  '..', '.', '../..', '../../v1/x', 'x/..', 'x/../..', 'x/../../../etc', 'x/./y', 'x//y', '//evil.example/x', '/x', 'x/', '..%2f..%2fx', '%2e%2e/x', '.%2e/x',
  '%252e%252e%252fx', '..;/x', '..\\..\\x', 'x?key=y', 'x#f', 'x?alt=json#', '@evil.example/x', 'x@evil.example', 'evil.example:80/x', 'http://evil.example/x',
  'x:generateContent', 'x:predict?a=b', 'models/../x', 'models/x/../../files/y', 'tunedModels/..', 'publishers/google/../x', 'claude-x/../../y',
  'claude-x%2f..', 'arn:aws:bedrock:us-east-1:1:x/../../y', 'arn:aws:bedrock:../../x', 'us.anthropic.claude-x/..', 'x\0y', 'x\r\nHost: evil.example',
  'x HTTP/1.1', 'x\ty', '\uff0e\uff0e/x', '\u2025/x', 'x\u2215..\u2215y', '\ud800', 'x\udfff/y', '\ufeff..', 'x'.repeat(5_000), '../'.repeat(500),
] as const // biome-ignore format: a list to be read as one

/** Paths as sent, in which the Gemini door finds the model; `KIND` is the backend. */
export const steeringPaths = [
  '/v1beta/models/KIND/../../x:generateContent', '/v1beta/models/KIND/%2e%2e/x:generateContent', '/v1beta/models/KIND%2f..%2f..%2fx:generateContent',
  '/v1beta/models/KIND/..%2f..%2fx:countTokens', '/v1beta/models/KIND/..%5c..:generateContent', '/v1beta/models/KIND//evil.example/x:generateContent',
  '/v1beta/KIND/../x:generateContent', '/v1beta/models/KIND/x%3fkey=y%23:generateContent', '/v1beta/models/KIND/x%00:generateContent',
  '/v1beta/models/KIND/x%0d%0aHost:%20evil.example:generateContent', '/v1beta/models/KIND/x:predict%3f:generateContent', '/v1beta/models/KIND/:countTokens',
  '/v1beta/models/KIND/%ff:generateContent', '/v1beta/models/KIND/%ed%a0%80:generateContent', '/v1beta/models/KIND/x%:generateContent',
  '/v1beta/models/KIND/.:streamGenerateContent', '/v1/models/KIND/../../../x:generateContent', 'http://evil.example/v1beta/models/KIND/x:generateContent',
] as const // biome-ignore format: a list to be read as one

/** Parts with a URL: only the model's service may fetch it, never the gateway. */
export const steeringParts: readonly Record<string, unknown>[] = [
  { type: 'image_url', image_url: { url: 'TRAP/a.png' } },
  { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
  { type: 'image_url', image_url: { url: 'http://169.254.169.254/latest/meta-data/' } },
  { type: 'image_url', image_url: { url: 'gopher://evil.example/' } },
  { type: 'file', file: { file_data: 'TRAP/a.pdf', filename: 'a.pdf' } },
  { type: 'image', source: { type: 'url', url: 'TRAP/a.png' } },
  { type: 'document', source: { type: 'url', url: 'TRAP/a.pdf' } },
  { type: 'input_image', image_url: 'TRAP/a.png' },
  { type: 'input_file', file_url: 'TRAP/a.pdf' },
]

const ofGemini = (...parts: readonly object[]) => ({
  door: 'Gemini',
  fields: { contents: [{ role: 'user', parts: [...parts, { text: 'x' }] }] },
})
const ofOllama = (fields: object) => ({
  door: 'Ollama',
  fields: { messages: [{ role: 'user', content: 'x', ...fields }] },
})

/** The same in the form of doors whose parts have forms of their own. */
export const steeringBodies: readonly { door: string; fields: Record<string, unknown> }[] = [
  ofGemini({ fileData: { fileUri: 'TRAP/a.png', mimeType: 'image/png' } }),
  ofGemini({ fileData: { fileUri: 'file:///etc/passwd', mimeType: 'text/plain' } }),
  ofGemini({ file_data: { file_uri: 'http://169.254.169.254/latest/', mime_type: 'image/png' } }),
  ofGemini({ inlineData: { data: 'TRAP/a.png', mimeType: 'image/png' } }),
  ofOllama({ images: ['TRAP/a.png'] }),
  ofOllama({ images: ['file:///etc/passwd'] }),
  ofOllama({ images: ['/etc/passwd', 'http://169.254.169.254/latest/'] }),
]

/** Where a reply of Cursor's service may want the token to go; `PORT` is the trap's. */
export const hostileAgentHosts = [
  'http://evil.example:PORT', 'https://evil.example:PORT', 'http://127.0.0.1.evil.example:PORT', 'http://localhost.evil.example:PORT',
  'http://127.0.0.1@evil.example:PORT', 'http://evil.example:PORT#127.0.0.1', 'http://evil.example:PORT/?127.0.0.1', 'http://x.cursor.sh:PORT',
  'http://x.cursor.sh.evil.example:PORT', '//evil.example:PORT', 'evil.example:PORT', 'http://10.0.0.1:PORT', 'http://169.254.169.254:PORT',
  'http://2852039166:PORT', 'http://[::ffff:a9fe:a9fe]:PORT', 'http://0.0.0.0:PORT', 'ftp://127.0.0.1:PORT', 'file:///etc/passwd', 'unix:/var/run/docker.sock',
  'javascript:alert(1)',
] as const // biome-ignore format: a list to be read as one

export const redirects = [301, 302, 303, 307, 308] as const
