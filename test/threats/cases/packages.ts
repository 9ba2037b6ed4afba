// The dependencies that run in the gateway; ioredis and its own dependencies only if configured.

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
