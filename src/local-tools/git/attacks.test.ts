// Code that waits for the user's next git command. Each attack is tried by the tools for files or by a command in the sandbox; then the
// user works with git, in the root and in folders of it, and nothing of the attacker's may run.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { spread } from '../../../test/depth.ts'
import { createPlayground, describeWithSandbox, sandboxFor } from '../../../test/sandbox.ts'
import { git, put, putGitDir, script, workWithGit } from '../../../test/user-git.ts'
import type { Outcome } from '../../protocols/client-tools/job.ts'
import { ConfinedRoot } from '../files/confined-root.ts'
import { runFileJob } from '../run-file-job.ts'
import { runShell } from '../shell/shell.ts'

const { root: base, outside } = createPlayground()
const ran = join(outside, 'ran')
const never = new AbortController().signal
const evil = `touch ${ran}; :`
const evilConfig = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${evil}"\n`
const evilHook = script(evil)
const mine = script('exit 0')

let count = 0
let above = ''
let root = ''
beforeEach(() => {
  above = join(base, `${++count}`)
  root = join(above, 'root')
  mkdirSync(root, { recursive: true })
  rmSync(ran, { force: true })
})

/** Wherever somebody might work. */
function userWorks(): string {
  const folders = readdirSync(above, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && !/\/(?:objects|refs|hooks)$/.test(join(entry.parentPath, entry.name)),
    )
    .map((entry) => join(entry.parentPath, entry.name))
  return workWithGit(outside, [above, ...folders])
}

const inRoot = (path: string) => join(root, path)
const hook = (path: string) => put(inRoot(path), mine, 0o755)
const setting = (name: string, value: string) => `[core]\n\t${name} = ${value}\n`

/** What the user has, and what in it an attacker would write. */
const repositories: Record<string, { has(): void; target: string; content?: string }> = {
  '.git': { has: () => putGitDir(inRoot('.git')), target: '.git/config', content: evilConfig },
  'a link as .git': {
    has: () => {
      putGitDir(inRoot('store'))
      symlinkSync('store', inRoot('.git'))
    },
    target: 'store/config',
    content: evilConfig,
  },
  'a file as .git': {
    has: () => {
      putGitDir(inRoot('.bare'))
      put(inRoot('.git'), 'gitdir: ./.bare\n')
    },
    target: '.bare/config',
    content: evilConfig,
  },
  'a link to a file as .git': {
    has: () => {
      putGitDir(inRoot('.bare'))
      put(inRoot('where'), `gitdir: ${inRoot('.bare')}\n`)
      symlinkSync('where', inRoot('.git'))
    },
    target: '.bare/config',
    content: evilConfig,
  },
  'hooks that are a link': {
    has: () => {
      putGitDir(inRoot('.git'))
      rmSync(inRoot('.git/hooks'), { recursive: true })
      symlinkSync('../githooks', inRoot('.git/hooks'))
      hook('githooks/pre-commit')
    },
    target: 'githooks/pre-commit',
  },
  'a hook that is a link': {
    has: () => {
      putGitDir(inRoot('.git'))
      hook('scripts/check.sh')
      symlinkSync('../../scripts/check.sh', inRoot('.git/hooks/pre-commit'))
    },
    target: 'scripts/check.sh',
  },
  'settings that are a link': {
    has: () => {
      putGitDir(inRoot('.git'))
      renameSync(inRoot('.git/config'), inRoot('team.gitconfig'))
      symlinkSync('../team.gitconfig', inRoot('.git/config'))
    },
    target: 'team.gitconfig',
    content: evilConfig,
  },
  'core.hooksPath': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', '.husky'))
      hook('.husky/pre-commit')
    },
    target: '.husky/pre-commit',
  },
  'core.hooksPath in quotes, in another case': {
    has: () => {
      putGitDir(inRoot('.git'), '[CORE] HooksPATH = "tools/\\\nhooks" # ours\n')
      hook('tools/hooks/pre-commit')
    },
    target: 'tools/hooks/pre-commit',
  },
  'core.hooksPath, absolute': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', inRoot('hooks.d')))
      hook('hooks.d/pre-commit')
    },
    target: 'hooks.d/pre-commit',
  },
  'core.hooksPath, the root': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', '.'))
      hook('pre-commit')
    },
    target: 'pre-commit',
  },
  'husky, which runs what lies beside its folder': {
    has: () => {
      putGitDir(inRoot('.git'), setting('hooksPath', '.husky/_'))
      put(inRoot('.husky/_/pre-commit'), script('sh "$(dirname "$0")/../pre-commit"'), 0o755)
      hook('.husky/pre-commit')
    },
    target: '.husky/pre-commit',
  },
  'settings that are included': {
    has: () => {
      putGitDir(inRoot('.git'), '[include]\n\tpath = ../team.gitconfig\n')
      put(inRoot('team.gitconfig'), '[include]\n\tpath = more.gitconfig\n')
      put(inRoot('more.gitconfig'), '[include]\n\tpath = team.gitconfig\n')
    },
    target: 'more.gitconfig',
    content: evilConfig,
  },
  'settings that are included under a condition': {
    has: () => {
      putGitDir(inRoot('.git'), `[includeIf "gitdir:${base}/**"]\n\tpath = ../team.gitconfig\n`)
      put(inRoot('team.gitconfig'), '')
    },
    target: 'team.gitconfig',
    content: evilConfig,
  },
  'a program that settings name': {
    has: () => {
      putGitDir(inRoot('.git'), setting('fsmonitor', './tools/monitor --fast'))
      hook('tools/monitor')
    },
    target: 'tools/monitor',
  },
  'a repository above, with hooks in the root': {
    has: () => {
      putGitDir(join(above, '.git'), setting('hooksPath', 'root/.husky'))
      hook('.husky/pre-commit')
    },
    target: '.husky/pre-commit',
  },
  'a repository above, whose files are in the root': {
    has: () => {
      putGitDir(inRoot('store'))
      put(join(above, '.git'), 'gitdir: root/store\n')
    },
    target: 'store/config',
    content: evilConfig,
  },
  'a nested repository': {
    has: () => putGitDir(inRoot('libs/one/.git')),
    target: 'libs/one/.git/config',
    content: evilConfig,
  },
  'a nested file as .git': {
    has: () => {
      putGitDir(inRoot('.git/modules/one'))
      putGitDir(inRoot('.git'))
      putGitDir(inRoot('stores/one'))
      put(inRoot('libs/one/.git'), 'gitdir: ../../stores/one\n')
    },
    target: 'stores/one/config',
    content: evilConfig,
  },
  'a linked working tree': {
    has: () => {
      putGitDir(inRoot('main/.bare'))
      put(inRoot('main/.bare/worktrees/tree/HEAD'), 'ref: refs/heads/main\n')
      put(inRoot('main/.bare/worktrees/tree/commondir'), '../..\n')
      put(inRoot('main/.bare/worktrees/tree/gitdir'), `${inRoot('tree/.git')}\n`)
      put(inRoot('tree/.git'), `gitdir: ${inRoot('main/.bare/worktrees/tree')}\n`)
    },
    target: 'main/.bare/config',
    content: evilConfig,
  },
  'a bare repository': {
    has: () => putGitDir(inRoot('fixtures/one.git')),
    target: 'fixtures/one.git/config',
    content: evilConfig,
  },
}

const openRoot = async () => {
  const confined = await ConfinedRoot.open(root)
  return {
    confined,
    write: (path: string, content: string): Promise<Outcome> =>
      runFileJob(confined, { kind: 'write', path, content }, { outputBytes: 10_000, signal: never }),
    remove: (path: string): Promise<Outcome> =>
      runFileJob(confined, { kind: 'delete', path }, { outputBytes: 10_000, signal: never }),
  }
}

const refused = { kind: 'failed', denied: true, error: expect.stringMatching(/git/) }

it.runIf(git)('without a guard, such things do run', () => {
  putGitDir(inRoot('.git'), setting('hooksPath', '.husky'))
  put(inRoot('.husky/pre-commit'), evilHook, 0o755)
  userWorks()
  expect(existsSync(ran)).toBe(true)
})

describe('tools for files cannot write', () => {
  it.each(spread(Object.entries(repositories), 4))(
    '%s',
    async (_name, { has, target, content = evilHook }) => {
      has()
      const { write, remove, confined } = await openRoot()
      expect(await write(target, content)).toMatchObject(refused)
      expect(await remove(target)).toMatchObject(refused)
      await confined.close()
      userWorks()
      expect(existsSync(ran)).toBe(false)
    },
  )
})

describe('tools for files cannot plant', () => {
  const head = 'ref: refs/heads/main\n'
  const plants: Record<string, [path: string, content: string][]> = {
    'a bare repository': [
      ['docs/config', evilConfig],
      ['docs/objects/a', ''],
      ['docs/refs/a', ''],
      ['docs/HEAD', head],
    ],
    'a bare repository, its HEAD first': [
      ['docs/HEAD', head],
      ['docs/config', evilConfig],
      ['docs/refs/a', ''],
      ['docs/objects/a', ''],
    ],
    'a bare repository with its settings elsewhere': [
      ['conf/config', evilConfig],
      ['conf/objects/a', ''],
      ['conf/refs/a', ''],
      ['docs/HEAD', head],
      ['docs/commondir', '../conf\n'],
    ],
    'the root as a bare repository': [
      ['config', evilConfig],
      ['objects/a', ''],
      ['refs/a', ''],
      ['HEAD', head],
    ],
    'a .git': [['docs/.git/config', evilConfig]],
    'a file as .git': [['docs/.git', 'gitdir: ../store\n']],
    'a .GIT': [['docs/.GIT/config', evilConfig]],
  }

  it.each(spread(Object.entries(plants), 4))('%s', async (_name, files) => {
    const { write, confined } = await openRoot()
    const outcomes: Outcome[] = []
    for (const [path, content] of files) outcomes.push(await write(path, content))
    expect(outcomes.at(-1)).toMatchObject(refused)
    expect(outcomes.slice(0, -1)).toEqual(outcomes.slice(0, -1).map(() => ({ kind: 'write' })))
    await confined.close()
    userWorks()
    expect(existsSync(ran)).toBe(false)
  })

  it('hooks where settings look for them', async () => {
    putGitDir(inRoot('.git'), setting('hooksPath', '.husky'))
    const { write, confined } = await openRoot()
    expect(await write('.husky/new/pre-commit', evilHook)).toMatchObject(refused)
    expect(existsSync(inRoot('.husky'))).toBe(false)
    await confined.close()
  })

  it('nothing else is refused', async () => {
    repositories['husky, which runs what lies beside its folder']?.has()
    const { write, confined } = await openRoot()
    for (const path of [
      'HEAD',
      'docs/HEAD',
      'docs/refs/a',
      'objects/HEAD',
      'husky/pre-commit',
      '.gitignore',
      '.github/x',
    ])
      expect(await write(path, '')).toEqual({ kind: 'write' })
    await confined.close()
  })
})

describeWithSandbox('a command', () => {
  async function run(command: string) {
    const confined = await ConfinedRoot.open(root)
    const limits = { timeoutMs: 20_000, outputBytes: 200_000, maxProcesses: 100, graceMs: 100 }
    const sandbox = await sandboxFor(root)
    const notes: string[] = []
    const ended = await runShell(
      { kind: 'shell', command },
      { root: confined, sandbox, ...limits },
      { signal: never, onNote: (note) => notes.push(note) },
    )
    await confined.close()
    if (ended.kind !== 'shell') throw new Error(JSON.stringify(ended))
    return { ...ended, notes }
  }

  /** Of the system: another one is not seen in there. */
  const hasGitInside = existsSync('/usr/bin/git')
  const who = 'export GIT_AUTHOR_NAME=u GIT_AUTHOR_EMAIL=u@x GIT_COMMITTER_NAME=u GIT_COMMITTER_EMAIL=u@x;'
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const write = (path: string, content: string) => `printf %s ${quoted(content)} > ${path}; chmod +x ${path};`
  const plantGitDir = (folder: string) =>
    `mkdir -p ${folder}/objects ${folder}/refs ${folder}/hooks; echo "ref: refs/heads/main" > ${folder}/HEAD; ${write(`${folder}/config`, evilConfig)} ${write(`${folder}/hooks/pre-commit`, evilHook)}`

  describe('cannot write', () => {
    it.each(spread(Object.entries(repositories), 4))(
      '%s',
      async (_name, { has, target, content = evilHook }) => {
        has()
        const folder = target.split('/')[0]
        const again = write(target, content)
        for (const command of [
          `${again} rm -f ${target}; ${again}`,
          `mv ${folder} away; mkdir -p $(dirname ${target}); ${again}`,
        ]) {
          await run(command)
          userWorks()
          expect(existsSync(ran)).toBe(false)
        }
      },
    )
  })

  describe('cannot plant', () => {
    const plants: Record<string, { has?(): void; command: string }> = {
      'a repository': { command: plantGitDir('.git') },
      'a repository in a folder': { command: plantGitDir('docs/.git') },
      'a bare repository': { command: plantGitDir('docs') },
      'the root as a bare repository': { command: plantGitDir('.') },
      'a file as .git': { command: `${plantGitDir('docs/.bare')} echo "gitdir: .bare" > docs/.git` },
      'a link as .git': { command: `${plantGitDir('docs/.bare')} ln -s .bare docs/.git` },
      'a repository among the objects of another': {
        has: () => putGitDir(inRoot('.git')),
        command: `${plantGitDir('.git/objects/aa')} mkdir docs; echo "gitdir: ../.git/objects/aa" > docs/.git`,
      },
      'settings elsewhere': {
        command: `${plantGitDir('conf')} mkdir docs; echo "ref: refs/heads/main" > docs/HEAD; echo ../conf > docs/commondir`,
      },
      'a commondir': {
        has: () => putGitDir(inRoot('.git')),
        command: `${plantGitDir('conf')} echo ../conf > .git/commondir`,
      },
      'another .git for a link': {
        has: () => repositories['a link as .git']?.has(),
        command: `rm .git; ${plantGitDir('.git')}`,
      },
      'another link for a link': {
        has: () => repositories['a link as .git']?.has(),
        command: `${plantGitDir('other')} ln -sfn other .git`,
      },
      'other hooks for a link': {
        has: () => repositories['hooks that are a link']?.has(),
        command: `rm .git/hooks; mkdir .git/hooks; ${write('.git/hooks/pre-commit', evilHook)}`,
      },
      'hooks where there were none': {
        has: () => {
          putGitDir(inRoot('libs/one/.git'))
          rmSync(inRoot('libs/one/.git/hooks'), { recursive: true })
        },
        command: `mkdir -p libs/one/.git/hooks; ${write('libs/one/.git/hooks/pre-commit', evilHook)}`,
      },
      'hooks where settings look for them': {
        has: () => putGitDir(inRoot('.git'), setting('hooksPath', '.husky')),
        command: `mkdir .husky; ${write('.husky/pre-commit', evilHook)}`,
      },
      'settings where settings include them': {
        has: () => putGitDir(inRoot('.git'), '[include]\n\tpath = ../team.gitconfig\n'),
        command: write('team.gitconfig', evilConfig),
      },
      'a program where settings name one': {
        has: () => putGitDir(inRoot('.git'), setting('fsmonitor', './tools/monitor')),
        command: `mkdir tools; ${write('tools/monitor', evilHook)}`,
      },
      'settings of one working tree': {
        has: () => putGitDir(inRoot('.git'), '[extensions]\n\tworktreeConfig = true\n'),
        command: write('.git/config.worktree', evilConfig),
      },
      'settings behind a comment that seems to go on': {
        command: `${plantGitDir('.git')} rm .git/hooks/*; printf '# a \\\\\\n%s' ${quoted(evilConfig)} > .git/config`,
      },
      'a repository in the place of a nested one': {
        has: () => putGitDir(inRoot('libs/one/.git')),
        command: `mv libs gone; mv libs/one gone; mv libs/one/.git gone; ${plantGitDir('libs/one/.git')}`,
      },
      'a repository in a folder that is read-only': {
        command: `${plantGitDir('docs/.git')} chmod 555 docs docs/.git`,
      },
      'a repository behind a file that is no folder': {
        has: () => putGitDir(inRoot('.git'), setting('hooksPath', 'tools/hooks')),
        command: `touch tools; ${plantGitDir('docs/.git')}`,
      },
      'a rebase that goes on with a program': {
        has: () => putGitDir(inRoot('.git')),
        command: `mkdir .git/rebase-merge; printf 'pick 1\n x %s\n' ${quoted(evil)} > .git/rebase-merge/git-rebase-todo`,
      },
    }

    it.each(spread(Object.entries(plants), 4))('%s', async (_name, { has, command }) => {
      has?.()
      const { stderr, notes } = await run(command)
      userWorks()
      expect(existsSync(ran)).toBe(false)
      expect(stderr).toMatch(/Read-only|busy|set aside/)
      for (const note of notes) expect(stderr).toContain(note)
    })
  })

  it.runIf(hasGitInside)('stops a rebase that would go on with a program', async () => {
    putGitDir(inRoot('.git'))
    const editor = quoted(`sh -c 'printf "break\\nexec ${evil}\\n" > "$1"' -`)
    const { stderr } = await run(
      `${who} git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR=${editor} git rebase -i HEAD~1`,
    )
    expect(stderr).toContain('git-rebase-todo was set aside')
    userWorks()
    expect(existsSync(ran)).toBe(false)
  })

  it.runIf(hasGitInside)('commits, and makes repositories that run nothing', async () => {
    putGitDir(inRoot('.git'))
    put(inRoot('a.txt'), 'a')
    const { stderr, exitCode, notes } = await run(
      `${who} git add -A && git commit -qm one && git init -q fresh && cd fresh && git remote add origin https://x.test/y.git && echo b > b && git add b && git commit -qm two && git checkout -q -b three`,
    )
    expect({ exitCode, notes, stderr: stderr.replace(/^hint.*\n/gm, '') }).toEqual({
      exitCode: 0,
      notes: [],
      stderr: '',
    })
    expect(workWithGit(outside, [root])).toMatch(/ one\n/)
    expect(workWithGit(outside, [inRoot('fresh')])).toMatch(/^On branch three[\s\S]* two\n/)
    const again = await run('echo "[core]" >> fresh/.git/config; git add -A; git log --oneline')
    expect(again.stderr).toContain('Read-only')
  })
})
