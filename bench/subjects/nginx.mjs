// nginx as a reverse proxy that only forwards: the limit of what a proxy can cost. One worker, no buffering of answers,
// connections to the upstream kept. From PATH or $DRAGOMAN_NGINX, else unpacked from Debian's package (scripts/debian.mjs);
// it runs without being installed: everything it writes is below `folder`.
//
// A request is what the upstream wants, at the same path: POST /v1/chat/completions, POST /v1/messages.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { provide, unpackedProgram } from '../../scripts/debian.mjs'
import { freePort, onPath, say, startProgram } from './process.mjs'

export async function startNginx({ upstream, folder, core }) {
  const nginx = findNginx()
  if (nginx === undefined) {
    say('bench: no nginx on PATH, in $DRAGOMAN_NGINX or from Debian: the bench goes on without it')
    return undefined
  }
  const prefix = join(folder, 'nginx')
  mkdirSync(join(prefix, 'tmp'), { recursive: true })
  const port = await freePort()
  const file = join(prefix, 'nginx.conf')
  writeFileSync(file, configuration({ port, upstream, isRoot: process.getuid?.() === 0 }))
  try {
    const args = ['-p', prefix, '-c', file, '-e', 'stderr']
    const running = await startProgram({ command: nginx, args, port, log: join(prefix, 'log'), core })
    return { name: 'nginx', version: versionOf(nginx), ...running, recipes: passThrough }
  } catch (error) {
    say(`bench: without nginx: ${error.message}`)
    return undefined
  }
}

/** What goes to a subject that only forwards is what its upstream reads. */
export const passThrough = [
  { door: 'chat', backend: 'openai', path: '/v1/chat/completions', headers: {} },
  { door: 'messages', backend: 'anthropic', path: '/v1/messages', headers: {} },
]

function findNginx() {
  const named = process.env.DRAGOMAN_NGINX
  if (named) return named
  // Not every user has /usr/sbin on PATH.
  const installed = onPath('nginx') ?? ['/usr/sbin/nginx'].find((file) => existsSync(file))
  if (installed !== undefined) return installed
  provide({
    program: 'nginx',
    purpose: 'the bench',
    variable: 'DRAGOMAN_NGINX',
    packages: ['nginx'],
    file: 'usr/sbin/nginx',
    check: { args: ['-v'] },
  })
  return unpackedProgram('nginx')
}

/** It says its version on stderr. */
const versionOf = (nginx) =>
  /nginx\/(\S+)/.exec(spawnSync(nginx, ['-v'], { encoding: 'utf8' }).stderr)?.[1] ?? 'unknown'

const configuration = ({ port, upstream, isRoot }) => `
daemon off;
pid nginx.pid;
error_log stderr error;
worker_processes 1;
worker_rlimit_nofile 16384;
${/* Else its worker becomes nobody, who may not write below the folder. */ isRoot ? 'user root;' : ''}
events {
  worker_connections 8192;
}
http {
  access_log off;
  client_body_temp_path tmp/body;
  proxy_temp_path tmp/proxy;
  fastcgi_temp_path tmp/fastcgi;
  uwsgi_temp_path tmp/uwsgi;
  scgi_temp_path tmp/scgi;
  client_max_body_size 0;
  # A request of 200 KB stays in memory, as in the other subjects.
  client_body_buffer_size 1m;
  keepalive_requests 1000000000;
  upstream upstream {
    server ${new URL(upstream).host};
    keepalive 2000;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://upstream;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`
