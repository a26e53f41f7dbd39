import { WebSocketServer } from 'ws'

const rooms = new Map()

export const join = async (socket, room) => {
  const members = rooms.get(room) ?? new Set()
  rooms.set(room, members.add(socket))
  ;[...members].forEach((other) => other.send(`+${socket.id}`))
  await socket.ack?.()
  return members.size
}

export const listen = (port) => {
  const server = new WebSocketServer({ port })
  server.on('connection', (socket) => {
    socket.on('message', async (data) => {
      const { type, room } = JSON.parse(data)
      if (type === 'join') await join(socket, room)
    })
  })
  return server
}
