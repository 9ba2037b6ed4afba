// A task that writes a text to a file, byte for byte.

import { call, called, path, wrote } from '../checks.ts'
import type { Task } from '../task.ts'
import { user, writeFile, written } from './tools.ts'

export function verbatim(
  { id, title, weight }: Pick<Task, 'id' | 'title' | 'weight'>,
  file: string,
  text: string,
): Task {
  return {
    id,
    title,
    weight,
    tools: [writeFile],
    messages: [
      user(
        `Write the following text to the file ${file}, exactly as it stands between the two lines of equals signs, without changing a single character. The lines of equals signs are not part of it.\n\n==========\n${text}\n==========`,
      ),
    ],
    reply: ({ input }) => written(input),
    ideal: [
      { calls: [['write_file', { path: file, content: `${text}\n` }]] },
      { text: `${file} is written.` },
    ],
    judge: [called(call('write_file', { path: path(file) })), wrote('write_file', 'content', text)],
  }
}
