import Foundation
import TestSupport
import Testing

/// The official client of the protocol, in Python.
@Suite(.serialized) struct AgentClientTests {
    private static let hasClient = (try? Shell.run("python3", ["-c", "import mcp"]))?.status == 0

    @Test(
        .enabled(if: hasClient, "Install the Python package mcp to run this test."),
        arguments: ["auto", "legacy"])
    func `the official client reads, writes, and follows clips`(mode: String) throws {
        let clips = try ClipsProgram()
        let script = """
            import anyio, json, os, sys
            from mcp.client.client import Client
            from mcp.client.stdio import StdioServerParameters, stdio_client
            import mcp_types as types

            async def main():
                server = StdioServerParameters(
                    command=os.environ['CLIPS'], args=['mcp'], env=dict(os.environ))
                info = types.Implementation(name='python', version='1')
                async with Client(stdio_client(server), mode='\(mode)', client_info=info) as client:
                    tools = await client.list_tools()
                    added = await client.call_tool('add', {'url': 'https://a.org', 'title': 'from python'})
                    found = await client.call_tool('search', {'query': 'python'})
                    resource = await client.read_resource('clips://history')
                    clip = json.loads(found.content[0].text)['clips'][0]
                    print(len(tools.tools), added.is_error, clip['title'], len(resource.contents))

            anyio.run(main)
            """
        let path = clips.folder.path(of: "client.py")
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        let run = try clips.shell("timeout 60 python3 \(path)")
        #expect(run.output == "10 False from python 1\n", "\(run)")
        #expect(try clips.run("history", "--author", "mcp:python").output.contains("saved clip 1"))
    }
}
