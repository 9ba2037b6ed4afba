export { remedies } from '../../core/remedies.ts'
