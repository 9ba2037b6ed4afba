// Where the corpus and the parser differ, and why. A row that stands here and is read as recorded fails its test: the table
// says no more than is true.

import type { CorpusCall } from './bfcl.ts'
import type { Format } from './render.ts'

/** Rows of BFCL that are not read exactly. */
export const bfclMisses: Record<Format, Record<string, string>> = {
  Hermes: {},
  'Qwen3-Coder': {
    simple_java_62:
      'numbers without a type in the schema are text, as the strings "10" and "null" of other rows are',
  },
}

interface Miss {
  reason: string
  calls: CorpusCall[]
}

const call = (name: string, input: Record<string, unknown>): CorpusCall => ({ name, arguments: input })
const numbersAsText = 'recorded without its tools, which alone tell a number from text'

/** Rows of other projects' parsers in the two formats that are asked for, and what is read instead. */
export const parserMisses: Record<string, Miss> = {
  'hermes 11': {
    reason: 'lacks nothing but a closing bracket: it is a call',
    calls: [call('final_answer', { trigger: true })],
  },
  'hermes 14': {
    reason: 'thinking is reasoning, not text; the call is the same',
    calls: [call('get_weather', { city: 'Dallas' })],
  },
  'qwen3coder 15': {
    reason: numbersAsText,
    calls: [
      call('calculate_area', { shape: 'rectangle', dimensions: { width: 10, height: 20 }, precision: '2' }),
    ],
  },
  'qwen3coder 18': {
    reason: numbersAsText,
    calls: [call('calculate_area', { shape: 'circle', dimensions: { radius: 15.5 }, precision: '3' })],
  },
  'qwen3coder 20': {
    reason: 'recorded without its tools, which alone tell a parameter from text that looks like one',
    calls: [call('get_current_weather', { city: 'Dallas\n<parameter=state>\nTX', unit: 'fahrenheit' })],
  },
  'qwen3coder 53': {
    reason: 'ends in the middle of a value: half a value is never handed on',
    calls: [],
  },
}

/** How many rows of the other formats are read as recorded, at least, and how many there are. */
export const floors: [format: string, floor: number, rows: number][] = [
  ['apertus', 19, 19],
  ['ernie45', 4, 4],
  ['hy_v3', 7, 7],
  ['ling3', 2, 2],
  ['dots', 10, 11],
  ['poolside_v1', 17, 20],
  ['deepseek_v3', 8, 8],
  ['deepseek_v31', 2, 2],
  ['deepseek_v32_dsml', 58, 60],
  ['deepseek_v4_dsml', 38, 41],
  ['glm45', 6, 10],
  ['glm47', 34, 35],
  ['granite', 9, 12],
  ['hunyuan_a13b', 35, 35],
  ['internlm2', 11, 11],
  ['jamba', 5, 5],
  ['json_array', 2, 4],
  ['kimi_k2', 41, 42],
  ['llama3_json', 26, 30],
  ['longcat', 8, 10],
  ['minimax_m2', 35, 37],
  ['mistral_pre_v11', 28, 28],
  ['mistral_v11', 12, 12],
  ['phi4mini', 1, 6],
  ['seed_oss', 11, 12],
  ['xlam', 11, 11],
]
