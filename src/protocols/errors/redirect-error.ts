// A redirect of a service: it could lead the credential elsewhere.

import { GatewayError } from '../../core/errors.ts'
import type { UpstreamRefusal } from './upstream-error.ts'

/** Undefined if the answer is no redirect. */
export function redirectError({
  backend,
  status,
  excerpt = '',
}: Pick<UpstreamRefusal, 'backend' | 'status' | 'excerpt'>): GatewayError | undefined {
  if (status < 300 || status >= 400) return undefined
  return new GatewayError(
    'upstream-protocol',
    `${backend}: the upstream redirects (HTTP ${status}), which is never followed; correct "baseUrl".`,
    { retryable: false, upstream: { status, excerpt } },
  )
}
