// A self-signed certificate for 127.0.0.1 and localhost, made by the openssl of the machine.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Home } from './program.ts'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

if (!hasOpenssl) {
  const message = 'openssl is not on the PATH: the tests of https upstreams cannot run'
  if (process.env.CI) throw new Error(message)
  process.stderr.write(`SKIPPED: ${message}\n`)
}

export interface Certificate {
  /** The certificate, which is its own authority. */
  file: string
  cert: string
  key: string
}

export function makeCertificate(home: Home): Certificate {
  const [keyFile, file] = [home.path('upstream.key'), home.path('upstream.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const output = ['-nodes', '-days', '2', '-keyout', keyFile, '-out', file]
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...output], { stdio: 'pipe' })
  return { file, cert: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}
