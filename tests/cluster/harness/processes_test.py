"""What the harness promises of ports and of waiting; needs no cluster."""

import socket
import unittest

from harness import processes


class Ports(unittest.TestCase):
    def test_no_port_is_given_twice(self):
        given = [port for _ in range(500) for port in processes.free_ports(3)]
        self.assertEqual(len(set(given)), len(given))

    def test_no_outgoing_connection_is_given_them(self):
        taken = processes.ports_of_outgoing_connections()
        if len(taken) > 65536 - processes.LOWEST_PORT - processes.ENOUGH_PORTS:
            self.skipTest(f"this machine gives {taken} to outgoing connections")
        for port in processes.free_ports(100):
            self.assertNotIn(port, taken)

    def test_a_port_that_somebody_listens_on_is_not_free(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            self.assertFalse(processes.is_free(port))
        self.assertTrue(processes.is_free(port))


class Waiting(unittest.TestCase):
    def test_says_what_the_condition_said_last(self):
        def refused():
            raise OSError("refused")

        with self.assertRaisesRegex(processes.HarnessError, "^it: not within 0 s: refused$"):
            processes.wait_until("it", refused, 0)


if __name__ == "__main__":
    unittest.main()
