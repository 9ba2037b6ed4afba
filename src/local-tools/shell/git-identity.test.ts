import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { describeWith } from '../../../test/debian-program.ts'
import { gitIdentity } from './git-identity.ts'

const home = process.env.HOME
const folder = mkdtempSync(join(tmpdir(), 'dragoman-git-'))
afterEach(() => {
  process.env.HOME = home
  rmSync(folder, { recursive: true, force: true })
})

describeWith([{ program: 'git', variable: 'DRAGOMAN_GIT' }], 'the identity of a user who has git', () => {
  it("is the user's, without other settings", async () => {
    writeFileSync(
      join(folder, '.gitconfig'),
      '[user]\n\tname = Ada L\n\temail = ada@example.com\n\tsigningkey = canary\n[http]\n\textraHeader = canary\n',
    )
    process.env.HOME = folder
    expect(await gitIdentity()).toEqual({
      GIT_AUTHOR_NAME: 'Ada L',
      GIT_COMMITTER_NAME: 'Ada L',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    })
  })
})

it('is empty without settings', async () => {
  process.env.HOME = '/nonexistent'
  expect(await gitIdentity()).toEqual({})
})
