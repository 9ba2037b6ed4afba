import { expect, it } from 'vitest'
import { machineChecksum, tokenChecksum } from './checksum.ts'

const now = Date.parse('2026-01-02T03:47:11Z')
const machineId = 'a'.repeat(64)

it('from machine ids, as the CLI and the IDE make it', () => {
  expect(machineChecksum(now, { machineId })).toBe(`UtDSy0Di${machineId}`)
  expect(machineChecksum(now, { machineId, macMachineId: 'b'.repeat(64) })).toBe(
    `UtDSy0Di${machineId}/${'b'.repeat(64)}`,
  )
})

it('from the token, the same for half an hour', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ0ZXN0In0.c2ln'
  expect(tokenChecksum(now, token)).toBe('paaotUbfc7bdf70f/8fdfab58')
  expect(tokenChecksum(Date.parse('2026-01-02T03:30:00Z'), token)).toBe(tokenChecksum(now, token))
  expect(tokenChecksum(Date.parse('2026-01-02T04:00:00Z'), token)).not.toBe(tokenChecksum(now, token))
})

it('takes a token that is no JWT', () => {
  expect(tokenChecksum(now, 'opaque')).toMatch(/^paaotUbf[0-9a-f]{8}\/[0-9a-f]{8}$/)
})
