// `npm run test:corpus`
import { runCases } from '../run-cases.mjs'

runCases('test/corpus', ['bfcl.jsonl.gz', 'parser-cases.jsonl'])
