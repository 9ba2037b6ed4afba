// Commands that try to escape. Each must leave everything outside unchanged, and show nothing of it.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { atEnd } from '../../../test/at-end.ts'
import { canary, createPlayground, describeWithSandbox, sandboxFor } from '../../../test/sandbox.ts'
import type { Outcome, OutcomeOf } from '../../protocols/client-tools/job.ts'
import { ConfinedRoot } from '../files/confined-root.ts'
import type { Sandbox } from './sandbox.ts'
import { runShell } from './shell.ts'

const { root, outside } = createPlayground()
const confined = await ConfinedRoot.open(root)
const home = join(outside, 'home')
const readable = join(outside, 'toolchain')
const limits = { timeoutMs: 20_000, outputBytes: 200_000, maxProcesses: 100, graceMs: 100 }
const never = new AbortController().signal
const marker = `dragoman-test-${process.pid}`

async function run(command: string, sandbox: Sandbox): Promise<OutcomeOf<'shell'>> {
  const ended: Outcome = await runShell(
    { kind: 'shell', command },
    { root: confined, sandbox, ...limits },
    { signal: never },
  )
  if (ended.kind !== 'shell') throw new Error(JSON.stringify(ended))
  return ended
}

const filesIn = (folder: string) => readdirSync(folder, { recursive: true }).toSorted()

describeWithSandbox('the sandbox', () => {
  let sandbox: Sandbox
  let port = 0
  const guests: string[] = []
  const before = () => filesIn(outside)
  let outsideBefore: unknown[] = []

  beforeAll(async () => {
    for (const folder of [
      home,
      join(home, '.ssh'),
      readable,
      join(readable, 'bin'),
      join(root, 'conf', 'deep'),
    ])
      mkdirSync(folder, { recursive: true })
    for (const file of ['.ssh/id_ed25519', '.netrc', '.bashrc', '.profile'])
      writeFileSync(join(home, file), canary)
    writeFileSync(join(readable, 'bin', 'tool'), '#!/bin/sh\necho tool runs\n')
    writeFileSync(join(readable, 'key.pem'), canary)
    chmodSync(join(readable, 'bin', 'tool'), 0o755)
    writeFileSync(join(root, 'conf', 'deep', 'dragoman.json'), canary)
    mkdirSync(join(root, 'keys'))
    writeFileSync(join(root, 'keys', 'one'), canary)
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link-out'))
    symlinkSync('conf/deep/dragoman.json', join(root, 'link-to-hidden'))
    process.env.DRAGOMAN_TEST_SECRET = canary
    const { HOME, PATH } = process.env
    process.env.HOME = home
    process.env.PATH = `${join(readable, 'bin')}:${PATH}`
    atEnd(() => {
      process.env.PATH = PATH
      if (HOME === undefined) delete process.env.HOME
      else process.env.HOME = HOME
      delete process.env.DRAGOMAN_TEST_SECRET
    })
    const hidden = [
      ...[join(root, 'conf/deep/dragoman.json'), join(root, 'keys'), join(readable, 'key.pem')],
      ...[join(outside, 'secret.txt'), join(root, 'not-there.json')],
    ]
    sandbox = await sandboxFor(root, { hidden, readable: [readable, join(outside, 'not-there')] })
    for (const where of [
      { host: '127.0.0.1', port: 0 },
      { path: `\0${marker}` },
      { path: join(outside, 'sock') },
    ]) {
      const server = net.createServer((socket) => {
        guests.push(JSON.stringify(where))
        socket.on('error', () => undefined)
        socket.end(canary)
      })
      await new Promise<void>((resolve) => server.listen(where, resolve))
      atEnd(() => server.close())
      if ('host' in where) port = (server.address() as net.AddressInfo).port
    }
    outsideBefore = before()
  })

  afterEach(() => {
    expect(before()).toEqual(outsideBefore)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(canary)
    expect(guests).toEqual([])
  })

  const perl = (code: string) => `perl -e '${code}'`
  const gone = /No such file|cannot access|not found/
  const readOnly = /Read-only file system|Permission denied|No such file/

  /** `says` proves that the attempt was real. */
  const attempts: [name: string, command: () => string, says: RegExp][] = [
    ['the password file', () => 'cat /etc/shadow /etc/gshadow /etc/sudoers', gone],
    ["the user's keys", () => 'cat ~/.ssh/id_ed25519 ~/.netrc ~/.bashrc', gone],
    [
      "root's home, /home, /var and /run",
      () => 'ls -d /root/.* /home/* /var/* /run/* /srv /mnt /media /boot /sys',
      gone,
    ],
    ['by an absolute path', () => `cat ${outside}/secret.txt`, gone],
    ['by a relative path', () => 'cat ../outside/secret.txt; ls -la ..', gone],
    ['by a link that was there', () => 'cat link-out', gone],
    ['by a link made for it', () => `ln -s ${outside} out && cat out/secret.txt; rm out`, gone],
    [
      'by a hard link',
      () => `ln ${outside}/secret.txt hard; ln /etc/passwd hard`,
      /Invalid cross-device|No such file/,
    ],
    [
      'by /proc/self/root',
      () => `cat /proc/self/root${outside}/secret.txt /proc/self/cwd/../outside/secret.txt`,
      gone,
    ],
    [
      'by the first process',
      () => `cat /proc/1/root${outside}/secret.txt; ls /proc/1/cwd/; tr "\\0" "\\n" < /proc/1/environ`,
      gone,
    ],
    [
      'by inherited descriptors',
      () =>
        // Listed before grep starts: a program that is being loaded has its libraries open.
        `links=$(readlink /proc/[0-9]*/fd/*); echo "$links" | grep -Ev "^(/dev/null|pipe:.*|anon_inode:.*|/proc/.*|.*/dragoman-pipe-.*)$" && echo LEFT; echo done >&2`,
      /done/,
    ],
    [
      'the environment of the gateway',
      () => `cat /proc/${process.pid}/environ; cat /proc/*/environ; env`,
      gone,
    ],
    [
      'other processes',
      () =>
        `kill -0 ${process.pid} && echo LEFT; kill -0 ${process.ppid} && echo LEFT; ls /proc/${process.pid}`,
      /No such process[\s\S]*cannot access/,
    ],
    [
      'a debugger on the gateway',
      () => `gdb -p ${process.pid} -batch; strace -p ${process.pid}; cat /proc/${process.pid}/mem`,
      gone,
    ],
    [
      'writing beside the root',
      () => `touch ../made ${outside}/made; mkdir ../made2; mv conf/deep ..`,
      /not permitted/,
    ],
    [
      'writing into the system',
      () => 'touch /usr/made /bin/made /etc/made /made /opt/made /lib/made; echo x >> /etc/passwd',
      readOnly,
    ],
    [
      'settings of the kernel',
      () =>
        'for f in sys/kernel/core_pattern sys/kernel/pid_max sys/vm/overcommit_memory sysrq-trigger; do : >> /proc/$f && echo LEFT; done',
      readOnly,
    ],
    [
      'the memory of the machine',
      () => 'cat /dev/mem /dev/kmem /proc/kcore /dev/kmsg; ls /dev/sd* /dev/vd* /dev/nvme*',
      gone,
    ],
    ['devices', () => 'mknod disk b 8 0; mknod /tmp/disk c 1 1', /Operation not permitted/],
    [
      'mounts',
      () =>
        'mount -t tmpfs none /tmp; mount -o remount,rw /; mount -o remount,rw /usr; umount conf/deep/dragoman.json',
      /must be superuser|permission denied|not permitted/i,
    ],
    [
      'a namespace inside',
      () =>
        `unshare -Ur cat ${outside}/secret.txt; unshare -Urm sh -c "umount -l keys; cat keys/one"; unshare -n true`,
      /unshare/,
    ],
    ['a namespace outside', () => 'nsenter -t 1 -m -p -n ls /; chroot / ls /root', /nsenter|not permitted/],
    [
      'changing who one is',
      () => 'su - -c id; sudo -n id; setpriv --reuid 12345 id; chown 12345 conf; newgrp',
      /su:|sudo|setpriv|not permitted/,
    ],
    [
      'programs that lend rights',
      () =>
        'cp /bin/sh own; chmod u+s own; find / -xdev -perm -4000 -exec {} --help \\; | head -3; grep NoNewPrivs /proc/self/status >&2',
      /NoNewPrivs:\s+1/,
    ],
    [
      'rights left over',
      () =>
        'grep Cap /proc/self/status >&2; for c in $(grep Cap /proc/self/status | cut -f2); do [ $((16#$c)) = 0 ] || echo LEFT; done',
      /CapEff:\s+0000000000000000/,
    ],
    ['the gateway, by its port', () => `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`, /Connection refused/],
    [
      'the Internet',
      () => 'exec 3<>/dev/tcp/1.1.1.1/53; exec 3<>/dev/tcp/169.254.169.254/80',
      /Network is unreachable/,
    ],
    [
      'names',
      () => 'getent hosts example.com; exec 3<>/dev/tcp/example.com/80',
      /resolution|Name or service|unreachable/,
    ],
    [
      'network cards',
      () => 'tail -n +3 /proc/net/dev | grep -v "^ *lo:"; cat /proc/net/tcp | wc -l >&2',
      /^1$/m,
    ],
    [
      'sockets without a file',
      () =>
        perl(
          `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("Sa*", 1, "\\0${marker}")) ? print <S> : die "refused: $!\\n"`,
        ),
      /refused/,
    ],
    [
      'sockets by a file',
      () =>
        perl(
          `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("${outside}/sock")) ? print <S> : die "refused: $!\\n"`,
        ),
      /refused/,
    ],
    [
      'Docker, agents, a desktop',
      () =>
        'ls /var/run/docker.sock /run/docker.sock /run/user /tmp/.X11-unix /run/dbus; echo "$SSH_AUTH_SOCK$DOCKER_HOST$DISPLAY$DBUS_SESSION_BUS_ADDRESS"',
      gone,
    ],
    ['shared memory of others', () => 'ipcs -a | grep -c 0x; ls -A /dev/shm /dev/mqueue', gone],
    [
      'typing into a terminal',
      () =>
        perl(
          'open(T, "+<", "/dev/tty") or die "no terminal: $!\\n"; ioctl(T, 0x5412, "x") and print "typed"',
        ),
      /no terminal/,
    ],
    [
      'a hidden file',
      () =>
        'cat conf/deep/dragoman.json link-to-hidden; cp conf/deep/dragoman.json copy; dd if=conf/deep/dragoman.json',
      /^0\+0 records in$/m,
    ],
    [
      'a hidden file, to replace it',
      () =>
        'echo x > conf/deep/dragoman.json; rm -f conf/deep/dragoman.json; mv conf/deep/dragoman.json away',
      /busy[\s\S]*not permitted/,
    ],
    [
      'a hidden file, with its folder',
      () => 'mv conf/deep conf/away; mv conf away; rm -rf conf',
      /busy[\s\S]*busy[\s\S]*busy/,
    ],
    [
      'a hidden file by another name',
      () => 'ln conf/deep/dragoman.json hard; ln -L link-to-hidden hard2',
      /cross-device/,
    ],
    [
      'a hidden folder',
      () => 'ls keys/one; touch keys/made; rmdir keys; mv keys away',
      /No such file[\s\S]*Read-only[\s\S]*busy/,
    ],
    [
      'a hidden file of a toolchain',
      () => `cat ${readable}/key.pem; wc -c < ${readable}/key.pem >&2`,
      /^0$/m,
    ],
    ['writing into a toolchain', () => `touch ${readable}/made; rm ${readable}/bin/tool`, /Read-only/],
    ['its own limits', () => 'ulimit -c unlimited; ulimit -f unlimited; ulimit -Hc >&2', /^0$/m],
    ['a core dump', () => 'sh -c "kill -SEGV \\$\\$"; ls core*', gone],
  ]

  it.each(attempts)('%s', async (_, command, says) => {
    const { stdout, stderr } = await run(command(), sandbox)
    expect(stderr).toMatch(says)
    expect(stdout + stderr).not.toContain(canary)
    expect(stdout).not.toMatch(/LEFT|typed|uid=/)
    for (const made of ['made', 'away', 'hard', 'hard2', 'copy', 'disk'])
      if (existsSync(join(root, made))) expect(readFileSync(join(root, made), 'utf8')).toBe('')
  })

  it('leaves hidden files unchanged', () => {
    expect(readFileSync(join(root, 'conf/deep/dragoman.json'), 'utf8')).toBe(canary)
    expect(filesIn(join(root, 'keys'))).toEqual(['one'])
  })

  it.each([
    [
      'the root can be written to',
      'mkdir -p new/folder && echo text > new/folder/file && mv new newer && cat newer/folder/file',
      'text\n',
    ],
    [
      'programs run',
      'echo b a | tr " " "\\n" | sort | head -1; test -x /usr/bin/env && echo yes',
      'a\nyes\n',
    ],
    ['a toolchain runs, and is found', 'tool', 'tool runs\n'],
    [
      'there is a home, a place for temporary files and for shared memory',
      'for d in ~ /tmp /var/tmp /dev/shm; do touch $d/x && echo ok; done',
      'ok\nok\nok\nok\n',
    ],
    [
      'the home has the path that it has outside, and nothing in it',
      'echo ~; ls -A ~/.ssh ~/.netrc 2>/dev/null | wc -l',
      `${home}\n0\n`,
    ],
    [
      'localhost is its own',
      '(perl -MIO::Socket::INET -e \'$| = 1; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1, LocalPort => 8099) or die; print STDOUT "up\\n"; $c = $s->accept; print $c "served\\n"\') & until cat < /dev/tcp/127.0.0.1/8099; do sleep 0.02; done 2>/dev/null',
      'up\nserved\n',
    ],
    ['users have names, times a zone', 'id -un; date +%Z | grep -c .', `${process.env.USER ?? 'root'}\n1\n`],
  ])('%s', async (_, command, stdout) => {
    expect(await run(command, sandbox)).toMatchObject({ stdout, stderr: '' })
  })

  it('does not reveal paths that need no mask', () => {
    const argv = sandbox.wrap(['true'], { cwd: root }).join(' ')
    expect(argv).not.toContain('secret.txt')
    expect(argv).not.toContain('not-there')
  })

  it('can mount the root read-only', async () => {
    const { execFile } = await import('node:child_process')
    const [file = '', ...args] = sandbox.wrap(['/bin/sh', '-c', 'ls; cat conf/deep/*; touch made'], {
      cwd: root,
      readOnly: true,
    })
    const said = await new Promise<string>((resolve) =>
      execFile(file, args, { env: {} }, (_, stdout, stderr) => resolve(stdout + stderr)),
    )
    expect(said).toMatch(/conf\n[\s\S]*Read-only/)
    expect(said).not.toContain(canary)
  })
})
