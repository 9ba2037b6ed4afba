// `npm run test:live`
import { runCases } from '../run-cases.mjs'

runCases('test/live', ['live.jsonl.gz'])
