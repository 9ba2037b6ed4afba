// Texts beyond ASCII: multi-byte characters, surrogate pairs, joiners, combining marks, right-to-left.

import type { Task } from '../task.ts'
import { verbatim } from './verbatim.ts'

const emoji = [
  'Fahrt übers Meer: 🚢🌊 — 3 Tage, 450 €',
  'family 👩‍👩‍👧‍👦, flag 🇳🇴, skin tone 👍🏽, keycap 5️⃣',
  'math 𝒳 ≠ ∅, arrows ⇒ ↩, box ┌─┐',
].join('\n')

const directions = [
  'שלום עולם! הקובץ נקרא notes.txt (גרסה 2).',
  'مرحبا بالعالم، الملف رقم ١٢٣ جاهز.',
  'mixed: abc אבג 123 عربي xyz',
].join('\n')

// Written as escapes: an editor could silently normalize one form to the other.
const composed = 'caf\u00e9'
const combining = 'cafe\u0301'

const scripts = [
  '東京から京都まで、新幹線で約2時間15分です。「はい」',
  '서울 날씨: 맑음. Ελλάδα, Россия, ไทย, हिन्दी',
  `composed ${composed}, combining ${combining}, Zürich, Łódź, ﬁ`,
].join('\n')

export const unicode: readonly Task[] = [
  verbatim(
    { id: 'unicode.emoji', title: 'Emoji, joined and with a skin tone', weight: 2 },
    'trip.txt',
    emoji,
  ),
  verbatim(
    { id: 'unicode.right-to-left', title: 'Hebrew and Arabic, mixed with Latin', weight: 2 },
    'directions.txt',
    directions,
  ),
  verbatim(
    { id: 'unicode.scripts', title: 'Many scripts, and an accent written in two ways', weight: 3 },
    'scripts.txt',
    scripts,
  ),
]
