// The user's git identity. The sandbox has no home folder and so no git settings, and git makes no commit without a name.

import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { promisify } from 'node:util'

const query = ['config', '--global', '--includes', '--null', '--get-regexp', '^user\\.(name|email)$']

export async function gitIdentity(): Promise<Record<string, string>> {
  const env = { PATH: process.env.PATH ?? '', HOME: homedir() }
  const { stdout } = await promisify(execFile)('git', query, { cwd: '/', env, timeout: 5_000 }).catch(() => ({
    stdout: '',
  }))
  const settings = new Map(
    stdout.split('\0').map((entry) => {
      const [name = '', value = ''] = entry.split('\n')
      return [name, value] as const
    }),
  )
  const said = (name: string, variable: string) => {
    const value = settings.get(`user.${name}`)
    return value ? { [`GIT_AUTHOR_${variable}`]: value, [`GIT_COMMITTER_${variable}`]: value } : {}
  }
  return { ...said('name', 'NAME'), ...said('email', 'EMAIL') }
}
