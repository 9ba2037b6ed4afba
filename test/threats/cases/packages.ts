// The code of others that runs in the gateway, ioredis and what it needs only where it is configured.

export const mostRuntimePackages = 42

export const runtimePackages = [
  '@bufbuild/protobuf',
  'commander',
  'eventsource-parser',
  'jsonc-parser',
  'undici',
  'zod',
  'ioredis',
  '@ioredis/commands',
  'cluster-key-slot',
  'debug',
  'denque',
  'ms',
  'redis-errors',
  'standard-as-callback',
]
