import { WebSocketServer } from "ws";
import { trace, SpanStatusCode } from "@opentelemetry/api";

const tracer = trace.getTracer("shop");

const rooms = new Map();

export const join = async (socket, room) => {
	return tracer.startActiveSpan(
		"shop.room.join",
		async (span) => {
			try {
				span.setAttribute("shop.room", String(room));
				const members = rooms.get(room) ?? new Set();
				rooms.set(room, members.add(socket));
				[...members].forEach((other) =>
					other.send(`+${socket.id}`)
				);
				await socket.ack?.();
				return members.size;
			} catch (error) {
				span.recordException(error);
				span.setStatus({ code: SpanStatusCode.ERROR });
				throw error;
			}
		}
	);
};

export const listen = (port) => {
	const server = new WebSocketServer({ port });
	server.on("connection", (socket) => {
		socket.on("message", async (data) => {
			const { type, room } = JSON.parse(data);
			if (type === "join") await join(socket, room);
		});
	});
	return server;
};
