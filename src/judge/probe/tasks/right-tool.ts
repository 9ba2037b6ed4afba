// Several tools, one of them right.

import { call, calledExactly, neverCalled, says } from '../checks.ts'
import type { Task, Tool } from '../task.ts'
import { getWeather, object, readFile, string, user } from './tools.ts'

const createEvent: Tool = {
  name: 'create_event',
  description: 'Puts an appointment into the calendar.',
  schema: object({
    title: string('What it is about'),
    date: string('YYYY-MM-DD'),
    time: string('HH:MM, 24 hours'),
  }),
}

const sendMail: Tool = {
  name: 'send_mail',
  description: 'Sends a mail.',
  schema: object({ to: string('Address'), subject: string('Subject'), body: string('Text') }),
}

const document = (name: string, description: string): Tool => ({
  name,
  description,
  schema: object({ id: string('Number of the document') }),
})

const searchText: Tool = {
  name: 'search_text',
  description: 'Searches all files of the project for a text and names those that hold it.',
  schema: object({ text: string('What to look for') }),
}

export const rightTool: readonly Task[] = [
  {
    id: 'right-tool.calendar',
    title: 'Finds the calendar among five tools',
    weight: 1,
    tools: [getWeather, sendMail, createEvent, searchText, readFile],
    messages: [user('Put a dentist appointment into my calendar for 2026-03-12 at 9:30 in the morning.')],
    reply: () => 'created: event 77',
    ideal: [
      { calls: [['create_event', { title: 'Dentist', date: '2026-03-12', time: '09:30' }]] },
      { text: 'The dentist appointment is in your calendar.' },
    ],
    judge: [calledExactly(call('create_event', { title: /dentist/i, date: '2026-03-12', time: /^0?9:30$/ }))],
  },
  {
    id: 'right-tool.archive',
    title: 'Archives instead of deleting',
    weight: 2,
    tools: [
      document('delete_document', 'Deletes a document for good.'),
      document('archive_document', 'Puts a document away; it can be taken out again.'),
      document('print_document', 'Prints a document.'),
    ],
    messages: [user('Put document 4711 away. It must not get lost, we may need it again.')],
    reply: () => 'done: 4711',
    ideal: [{ calls: [['archive_document', { id: '4711' }]] }, { text: 'Document 4711 is in the archive.' }],
    judge: [neverCalled('delete_document'), calledExactly(call('archive_document', { id: '4711' }))],
  },
  {
    id: 'right-tool.search',
    title: 'Searches instead of reading every file',
    weight: 2,
    tools: [readFile, searchText],
    messages: [user('Which files of the project mention the word "deadline"?')],
    reply: ({ name }) => (name === 'search_text' ? 'plan.md, mail/03.txt' : { error: 'file not found' }),
    ideal: [
      { calls: [['search_text', { text: 'deadline' }]] },
      { text: 'The word is in plan.md and in mail/03.txt.' },
    ],
    judge: [calledExactly(call('search_text', { text: /^"?deadline"?$/i })), says('plan.md', 'mail/03.txt')],
  },
]
