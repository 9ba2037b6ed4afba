// Tools as servers of tools declare them, in our own words, and a call that writes a file.

import { closed, code, flag, integer, list, number, object, string, words } from './parts.mjs'

const repository = {
  owner: string('Owner of the repository'),
  repo: string('Name of the repository'),
}

/** A server's tools: many properties, enums, bounds, nested lists. */
export const server = [
  {
    name: 'create_pull_request',
    schema: object(
      {
        ...repository,
        title: string('Title'),
        head: string('Branch with the changes'),
        base: string('Branch to merge into'),
        body: string('Description'),
        draft: flag('As a draft'),
        maintainer_can_modify: flag('Let maintainers push'),
        reviewers: list({ type: 'string' }, 'Reviewers'),
        labels: list({ type: 'string' }, 'Labels'),
        milestone: number('Milestone'),
      },
      ['owner', 'repo', 'title', 'head', 'base'],
    ),
    input: {
      owner: 'example',
      repo: 'project',
      title: 'Checks every call before an agent sees it',
      head: 'feature/check',
      base: 'main',
      body: words(150),
      draft: true,
      reviewers: ['one', 'two'],
      labels: ['feature', 'tools', 'schema'],
    },
  },
  {
    name: 'list_issues',
    schema: object(
      {
        ...repository,
        state: { type: 'string', enum: ['OPEN', 'CLOSED', 'ALL'] },
        labels: list({ type: 'string' }, 'Labels'),
        orderBy: { type: 'string', enum: ['CREATED_AT', 'UPDATED_AT', 'COMMENTS'] },
        direction: { type: 'string', enum: ['ASC', 'DESC'] },
        since: string('Point in time', { format: 'date-time' }),
        after: string('Cursor'),
        perPage: number('Results of a page', { minimum: 1, maximum: 100 }),
        page: number('Page', { minimum: 1 }),
        assignee: string('Whose'),
        creator: string('By whom'),
        mentioned: string('Who is named'),
        milestone: {
          anyOf: [
            { type: 'integer', minimum: 1 },
            { type: 'string', enum: ['*', 'none'] },
          ],
        },
      },
      ['owner', 'repo'],
    ),
    input: {
      owner: 'example',
      repo: 'project',
      state: 'OPEN',
      labels: ['bug', 'p1'],
      orderBy: 'UPDATED_AT',
      direction: 'DESC',
      since: '2026-11-01T00:00:00Z',
      perPage: 50,
      page: 1,
      milestone: 'none',
    },
  },
  {
    name: 'push_files',
    schema: object(
      {
        ...repository,
        branch: string('Branch'),
        message: string('Message'),
        files: list(
          object({ path: string('Path'), content: string('Content') }, ['path', 'content']),
          'Files',
        ),
      },
      ['owner', 'repo', 'branch', 'files', 'message'],
    ),
    input: {
      owner: 'example',
      repo: 'project',
      branch: 'main',
      message: words(10),
      files: Array.from({ length: 4 }, (_, at) => ({ path: `docs/part-${at}.md`, content: words(60) })),
    },
  },
  {
    name: 'update_record',
    // 30 properties, as tools that were made from an OpenAPI description have them.
    schema: object(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [
          `field_${at}`,
          [
            string('Text', { maxLength: 500 }),
            integer('Number', { minimum: 0 }),
            { type: ['string', 'null'] },
            { type: 'string', enum: ['low', 'middle', 'high'] },
            object(
              { id: string('Id', { pattern: '^[a-z]{2,4}_[A-Za-z0-9]{8,32}$' }), count: integer('Count') },
              ['id'],
            ),
          ][at % 5],
        ]),
      ),
      ['field_0', 'field_1', 'field_4'],
    ),
    input: Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `field_${at}`,
        [words(4), at, null, 'high', { id: 'ab_0123456789abcdef', count: at }][at % 5],
      ]),
    ),
  },
]

/** The argument is a file. */
export const files = [
  {
    name: 'Write',
    schema: closed({ file_path: string('Absolute path'), content: string('Content') }, [
      'file_path',
      'content',
    ]),
    input: { file_path: '/srv/project/src/generated.ts', content: code(50_000) },
  },
]
