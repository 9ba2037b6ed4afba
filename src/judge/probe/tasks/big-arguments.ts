// Long texts as arguments. Expensive: the model writes every character.

import type { Task } from '../task.ts'
import { bigText } from './big-text.ts'
import { verbatim } from './verbatim.ts'

export const bigArguments: readonly Task[] = [
  verbatim(
    { id: 'big-arguments.8-kb', title: 'Writes 8 KB, to the byte', weight: 2 },
    'log-8.txt',
    bigText(8_000, 8).join('\n'),
  ),
  verbatim(
    { id: 'big-arguments.30-kb', title: 'Writes 30 KB, to the byte', weight: 3 },
    'log-30.txt',
    bigText(30_000, 30).join('\n'),
  ),
]
