// A worker: the same gateway as without workers, controlled by its parent, with connections that the parent accepted. It stops on
// the parent's order, and does not outlive it.

import type { Socket } from 'node:net'
import { readEnvironment } from '../../config/environment.ts'
import { createGateway } from '../../gateway.ts'
import { Metrics } from '../../observe/metrics.ts'
import { listenOrSay } from '../run-gateway.ts'
import { guardStandardStreams } from '../standard-streams.ts'
import { createStopper, type Stopper } from '../stopper.ts'
import { Channel } from './channel.ts'
import type { Orders, ParentServices, WorkerServices } from './services.ts'

/** Terminals and service managers signal every process of a group: wait this long for the parent's order. */
const ordersMs = 1_000

guardStandardStreams()

const metrics = new Metrics()
let stopper: Stopper | undefined
let take: (socket: Socket) => void = (socket) => socket.destroy()

const services: WorkerServices = {
  start,
  stop(reason) {
    if (!stopper) process.exit(0)
    stopper.stop(reason)
  },
  end: (code) => process.exit(code),
  snapshot: () => metrics.snapshot(),
}

const parent = new Channel<ParentServices>(
  {
    // A missing parent is detected elsewhere.
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => void process.on('message', listener),
  },
  services,
)

process.on('message', (_message, socket: Socket | undefined) => {
  if (!socket) return
  // Acknowledge first: a worker that dies before this has not read a byte, and the connection goes to another worker.
  parent.tell('taken')
  take(socket)
})
process.on('disconnect', () => process.exit(1))

async function start(orders: Orders): Promise<string> {
  const { worker, gateway: options, url, peerSecret, peerListen } = orders
  const gateway = await createGateway({
    ...options,
    connect: readEnvironment(),
    worker: {
      ...{ worker, metrics },
      shared: {
        ...{ url, peerListen },
        onConnection: (listener) => {
          take = listener
        },
        leave: () => parent.tell('leave'),
      },
      peers: {
        secret: peerSecret,
        store: {
          run: (name, key, ...values) => parent.call('run', name, key, ...values),
          read: (key, maxBytes) => parent.call('read', key, maxBytes),
          delete: (key) => parent.call('delete', key),
        },
      },
      openFile: (path) => ({ append: (text) => parent.call('append', path, text) }),
      renderMetrics: () => parent.call('renderMetrics'),
    },
  })
  const onStop = () => parent.call('retire', metrics.snapshot())
  const own = createStopper(gateway, { onStop, hasOthers: true })
  stopper = own
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => setTimeout(() => own.stop(signal, { leaving: true }), ordersMs))
  return listenOrSay(gateway, options.config)
}
