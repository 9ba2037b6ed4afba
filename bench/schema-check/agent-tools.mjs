// Tools as coding agents declare them, in our own words, and calls of a usual size.

import { closed, code, flag, integer, list, number, object, string, words } from './parts.mjs'

const schema = 'http://json-schema.org/draft-07/schema#'

/** Closed objects, few properties, one list of objects. */
export const terminalAgent = [
  {
    name: 'Bash',
    schema: closed(
      {
        command: string('The command to run'),
        timeout: number('Time limit in milliseconds', { maximum: 600_000 }),
        description: string('What the command does, in five to ten words'),
        run_in_background: flag('Go on without its result'),
      },
      ['command'],
    ),
    input: {
      command: `cd /srv/project && npm test -- --run ${words(12)}`,
      timeout: 120_000,
      description: 'Runs the tests',
    },
  },
  {
    name: 'Read',
    schema: closed(
      {
        file_path: string('Absolute path'),
        offset: number('First line'),
        limit: number('Number of lines', { exclusiveMinimum: 0 }),
        pages: string('Pages of a PDF', { pattern: '^\\d+(-\\d+)?$' }),
      },
      ['file_path'],
    ),
    input: {
      file_path: '/srv/project/src/server/handle-request.ts',
      offset: 120,
      limit: 200,
      pages: '1-20',
    },
  },
  {
    name: 'Edit',
    schema: closed(
      {
        file_path: string('Absolute path'),
        old_string: string('Text to replace'),
        new_string: string('Text to put there'),
        replace_all: { ...flag('Every occurrence'), default: false },
      },
      ['file_path', 'old_string', 'new_string'],
    ),
    input: {
      file_path: '/srv/project/src/a.ts',
      old_string: code(400),
      new_string: code(450),
      replace_all: false,
    },
  },
  {
    name: 'TodoWrite',
    schema: closed(
      {
        todos: list(
          closed(
            {
              content: string('What to do', { minLength: 1 }),
              status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
              activeForm: string('The same while it is done', { minLength: 1 }),
            },
            ['content', 'status', 'activeForm'],
          ),
          'The whole list',
        ),
      },
      ['todos'],
    ),
    input: {
      todos: Array.from({ length: 12 }, (_, at) => ({
        content: `Step ${at}: ${words(6)}`,
        status: at < 3 ? 'completed' : at === 3 ? 'in_progress' : 'pending',
        activeForm: `Doing step ${at}: ${words(4)}`,
      })),
    },
  },
  {
    name: 'AskUser',
    schema: closed(
      {
        questions: list(
          closed(
            {
              question: string('The question'),
              header: string('A short label', { maxLength: 12 }),
              multiSelect: flag('Several answers'),
              options: list(
                closed({ label: string('One to five words'), description: string('What it means') }, [
                  'label',
                  'description',
                ]),
                'Answers',
                { minItems: 2, maxItems: 4 },
              ),
            },
            ['question', 'header', 'options', 'multiSelect'],
          ),
          'Questions',
          { minItems: 1, maxItems: 4 },
        ),
        answers: {
          type: 'object',
          additionalProperties: { type: 'string' },
          propertyNames: { type: 'string' },
        },
      },
      ['questions'],
    ),
    input: {
      questions: Array.from({ length: 3 }, (_, at) => ({
        question: `Which of these, ${words(8)}?`,
        header: `Choice ${at}`,
        multiSelect: at === 1,
        options: ['one', 'two', 'three'].map((label) => ({ label, description: words(9) })),
      })),
    },
  },
  {
    name: 'Grep',
    schema: closed(
      {
        pattern: string('Regular expression'),
        path: string('File or folder'),
        glob: string('Files'),
        output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count'] },
        '-A': number('Lines after'),
        '-B': number('Lines before'),
        '-C': number('Lines around'),
        '-n': flag('Line numbers'),
        '-i': flag('Ignore case'),
        type: string('Kind of file'),
        head_limit: number('At most'),
        multiline: flag('Across lines'),
      },
      ['pattern'],
    ),
    input: {
      pattern: 'handle[A-Z]\\w+',
      path: 'src',
      glob: '**/*.ts',
      output_mode: 'content',
      '-n': true,
      '-C': 3,
      head_limit: 50,
    },
  },
]

/** Open objects, as zod writes them, with a draft and a reference. */
export const editorAgent = [
  {
    name: 'patch',
    schema: {
      $schema: schema,
      ...object(
        {
          edits: list({ $ref: '#/definitions/edit' }, 'Edits of one file or several', { minItems: 1 }),
          dryRun: flag('Only show'),
          reason: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        ['edits'],
      ),
      definitions: {
        edit: object(
          {
            filePath: string('Path', { minLength: 1 }),
            range: object(
              { start: integer('First line', { minimum: 1 }), end: integer('Last line', { minimum: 1 }) },
              ['start', 'end'],
            ),
            text: string('New text'),
          },
          ['filePath', 'range', 'text'],
        ),
      },
    },
    input: {
      edits: Array.from({ length: 5 }, (_, at) => ({
        filePath: `/srv/project/src/part-${at}.ts`,
        range: { start: at * 10 + 1, end: at * 10 + 4 },
        text: code(220),
      })),
      dryRun: false,
      reason: null,
    },
  },
  {
    name: 'question',
    schema: {
      $schema: schema,
      ...object(
        {
          kind: { oneOf: [{ const: 'text' }, { const: 'choice' }, { type: 'integer', minimum: 10 }] },
          target: {
            oneOf: [
              closed({ type: { const: 'file' }, path: string('Path') }, ['type', 'path']),
              closed({ type: { const: 'symbol' }, name: string('Name'), file: string('File') }, [
                'type',
                'name',
              ]),
              closed(
                { type: { const: 'range' }, path: string('Path'), from: integer('From'), to: integer('To') },
                ['type', 'path', 'from', 'to'],
              ),
            ],
          },
          prompt: string('What to ask', { minLength: 1, maxLength: 4_000 }),
        },
        ['kind', 'target', 'prompt'],
      ),
    },
    input: {
      kind: 'choice',
      target: { type: 'range', path: 'src/a.ts', from: 3, to: 40 },
      prompt: words(60),
    },
  },
  {
    name: 'webfetch',
    schema: {
      $schema: schema,
      ...object(
        {
          url: string('Address', { format: 'uri', pattern: '^https?://' }),
          format: { type: 'string', enum: ['text', 'markdown', 'html'], default: 'markdown' },
          timeout: number('Seconds', { maximum: 120 }),
        },
        ['url', 'format'],
      ),
    },
    input: {
      url: `https://example.com/docs/${words(3).replaceAll(' ', '/')}?q=${words(8).replaceAll(' ', '+')}`,
      format: 'markdown',
      timeout: 30,
    },
  },
]
