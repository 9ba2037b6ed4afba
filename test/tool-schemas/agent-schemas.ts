// Schemas in the style of the tools that coding agents and their MCP servers define. Written by hand; none is captured.

type Schema = Record<string, unknown>

const text = (description?: string): Schema => ({ type: 'string', ...(description ? { description } : {}) })
const object = (properties: Schema, required: string[] = [], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
  ...more,
})
const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' }
const closed = { additionalProperties: false }

export const agentSchemas: Record<string, Schema> = {
  // A shell in the style of Claude Code.
  bash: object(
    {
      command: text('The command to execute'),
      timeout: { type: 'number', description: 'Timeout in milliseconds (max 600000)' },
      description: text('What the command does'),
      run_in_background: { type: 'boolean', description: 'Run in the background' },
    },
    ['command'],
    { ...closed, ...draft7 },
  ),
  read: object(
    {
      file_path: text(),
      offset: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      limit: { type: 'integer', exclusiveMinimum: 0 },
      pages: text(),
    },
    ['file_path'],
    { ...closed, $schema: 'https://json-schema.org/draft/2020-12/schema' },
  ),
  multi_edit: object(
    {
      file_path: text(),
      edits: {
        type: 'array',
        minItems: 1,
        items: object(
          { old_string: text(), new_string: text(), replace_all: { type: 'boolean', default: false } },
          ['old_string', 'new_string'],
          closed,
        ),
      },
    },
    ['file_path', 'edits'],
    { ...closed, ...draft7 },
  ),
  todos: object(
    {
      todos: {
        type: 'array',
        items: object(
          {
            content: { type: 'string', minLength: 1 },
            status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
            activeForm: { type: 'string', minLength: 1 },
          },
          ['content', 'status', 'activeForm'],
          closed,
        ),
      },
    },
    ['todos'],
    closed,
  ),
  web_fetch: object({ url: { type: 'string', format: 'uri' }, prompt: text() }, ['url', 'prompt'], closed),
  web_search: object(
    {
      query: { type: 'string', minLength: 2 },
      allowed_domains: { type: 'array', items: { type: 'string' } },
      blocked_domains: { type: 'array', items: { type: 'string' } },
    },
    ['query'],
    closed,
  ),
  exit_plan: object({ plan: text() }, ['plan'], { additionalProperties: true }),
  list_sessions: { type: 'object', properties: {} },
  // A shell and a plan in the style of Codex.
  exec_command: object(
    {
      cmd: text('Shell command'),
      workdir: text(),
      yield_time_ms: { type: 'number' },
      max_output_tokens: { type: 'number' },
      sandbox_permissions: text(),
    },
    ['cmd'],
    closed,
  ),
  update_plan: object(
    {
      explanation: text(),
      plan: {
        type: 'array',
        description: 'The list of steps',
        items: object(
          { step: text(), status: text('One of: pending, in_progress, completed') },
          ['step', 'status'],
          closed,
        ),
      },
    },
    ['plan'],
    closed,
  ),
  // In the style of OpenCode.
  glob: object({ pattern: text(), path: text() }, ['pattern'], draft7),
  task: object(
    {
      description: text(),
      prompt: text(),
      subagent_type: text(),
      session_id: { type: 'string', pattern: '^ses' },
    },
    ['description', 'prompt', 'subagent_type'],
    draft7,
  ),
  question: object(
    {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 4,
        items: { $ref: '#/$defs/Question', description: 'One question' },
      },
    },
    ['questions'],
    {
      ...closed,
      $defs: {
        Question: object(
          {
            header: { type: 'string', maxLength: 30 },
            options: { type: 'array', items: { $ref: '#/$defs/Option' } },
            multiple: { type: 'boolean' },
          },
          ['header', 'options'],
        ),
        Option: object({ label: text(), description: text() }, ['label']),
      },
    },
  ),
  // In the style of MCP servers.
  create_issue: object(
    {
      owner: text('Repository owner'),
      repo: text('Repository name'),
      title: text(),
      body: text(),
      assignees: { type: 'array', items: text() },
      labels: { type: 'array', items: text() },
      milestone: { type: 'number' },
    },
    ['owner', 'repo', 'title'],
  ),
  list_commits: object(
    {
      owner: text(),
      repo: text(),
      sha: text(),
      page: { type: 'number', minimum: 1 },
      perPage: { type: 'number', minimum: 1, maximum: 100, default: 30 },
      since: { type: 'string', format: 'date-time' },
    },
    ['owner', 'repo'],
  ),
  create_review: object(
    {
      pullNumber: { type: 'number' },
      event: { enum: ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] },
      comments: {
        type: 'array',
        items: {
          anyOf: [
            object(
              { path: text(), position: { type: 'number' }, body: text() },
              ['path', 'position', 'body'],
              closed,
            ),
            object(
              { path: text(), line: { type: 'number' }, side: text(), body: text() },
              ['path', 'line', 'body'],
              closed,
            ),
          ],
        },
      },
    },
    ['pullNumber', 'event'],
    { ...closed, ...draft7 },
  ),
  // A discriminated union, as zod writes it.
  edit_block: object(
    {
      change: {
        oneOf: [
          object({ kind: { type: 'string', const: 'insert' }, at: { type: 'integer' }, text: text() }, [
            'kind',
            'at',
            'text',
          ]),
          object(
            { kind: { type: 'string', const: 'delete' }, from: { type: 'integer' }, to: { type: 'integer' } },
            ['kind', 'from'],
          ),
        ],
      },
    },
    ['change'],
  ),
  // A union at the root.
  look_up: {
    ...draft7,
    anyOf: [
      object({ id: { type: 'integer' }, deep: { type: 'boolean' } }, ['id']),
      object({ name: text(), deep: { type: 'boolean' } }, ['name']),
    ],
  },
  // "At least one of".
  search_code: object({ query: text(), symbol: text(), limit: { type: 'integer', minimum: 1 } }, [], {
    anyOf: [{ required: ['query'] }, { required: ['symbol'] }],
  }),
  // As pydantic writes it: nullable with a default of null, titles everywhere.
  fetch_page: {
    title: 'FetchPageArguments',
    ...object(
      {
        url: { title: 'Url', type: 'string', minLength: 1, format: 'uri' },
        max_length: {
          title: 'Max Length',
          type: 'integer',
          default: 5000,
          exclusiveMaximum: 1000000,
          exclusiveMinimum: 0,
        },
        start: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'Start' },
        headers: { type: 'object', additionalProperties: { type: 'string' }, title: 'Headers' },
      },
      ['url'],
    ),
  },
  query_database: object(
    {
      sql: text(),
      parameters: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } },
      options: { type: 'object' },
    },
    ['sql'],
  ),
  // A tree.
  create_pages: object({ pages: { type: 'array', items: { $ref: '#/definitions/page' } } }, ['pages'], {
    definitions: {
      page: object(
        { title: text(), children: { type: 'array', items: { $ref: '#/definitions/page' } } },
        ['title'],
        closed,
      ),
    },
  }),
  outline: object(
    { heading: text(), parts: { type: 'array', items: { $ref: '#' } }, note: { allOf: [{ $ref: '#' }] } },
    ['heading'],
  ),
  // An OpenAPI document turned into tools.
  update_user: object(
    {
      body: {
        allOf: [
          { $ref: '#/$defs/Named' },
          object({
            age: { type: 'integer', format: 'int32', nullable: true },
            role: { enum: ['a', 'b', null] },
          }),
        ],
      },
      range: { type: 'array', items: [{ type: 'integer' }, { type: 'integer' }], minItems: 2, maxItems: 2 },
      level: { type: 'integer', enum: [1, 2, 3] },
      code: { type: 'string', pattern: '^(?!x)[a-z]+\\d{2}', 'x-order': 3, examples: ['ab12'] },
    },
    ['body'],
    {
      $defs: {
        Named: object({ name: text(), tags: { type: 'array', items: {}, uniqueItems: true } }, ['name']),
      },
    },
  ),
  // A word, or a text of another form: exactly one of them.
  keep_history: object(
    {
      label: text(),
      turns: {
        oneOf: [
          { type: 'string', enum: ['everything'] },
          { type: 'string', pattern: '^[0-9]+$' },
        ],
      },
    },
    ['label'],
  ),
  // Exactly one of two ways to give the input, each of which excludes the other.
  start_job: object(
    {
      job: text(),
      input: { type: 'object', additionalProperties: true },
      input_file: { type: 'string', minLength: 1 },
    },
    ['job'],
    {
      oneOf: [
        object({ input: { type: 'object', additionalProperties: true } }, ['input'], {
          not: { required: ['input_file'] },
        }),
        object({ input_file: { type: 'string' } }, ['input_file'], { not: { required: ['input'] } }),
      ],
    },
  ),
  // Types left out.
  rename: {
    properties: { from: { pattern: '^[a-z]+$' }, to: { items: { type: 'string' } } },
    required: ['from'],
  },
  move_mouse: object(
    {
      point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] },
      button: { const: 'left' },
      modifiers: { type: 'array', items: { type: 'string', enum: ['shift', 'alt'] }, maxItems: 2 },
      anything: {},
      flag: true,
    },
    ['point', 'missing'],
  ),
}
